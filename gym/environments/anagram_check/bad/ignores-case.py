def is_anagram(s, t):
    return sorted(s.lower()) == sorted(t.lower())
