def fizzbuzz(n, rules):
    lines = []
    for number in range(1, n + 1):
        words = [word for divisor, word in rules if number % divisor == 0]
        lines.append("".join(words) if words else str(number))
    return lines
