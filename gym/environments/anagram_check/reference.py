from collections import Counter


def is_anagram(s, t):
    return len(s) == len(t) and Counter(s) == Counter(t)
