def is_anagram(s, t):
    return len(s) == len(t) and set(s) == set(t)
