def fizzbuzz(n, rules):
    words = dict(rules)
    return ["".join(words[d] for d in sorted(words) if i % d == 0) or str(i) for i in range(1, n + 1)]
