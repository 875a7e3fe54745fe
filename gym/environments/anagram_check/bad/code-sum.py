def is_anagram(s, t):
    return len(s) == len(t) and sum(map(ord, s)) == sum(map(ord, t))
