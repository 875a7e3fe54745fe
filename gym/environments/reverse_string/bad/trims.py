def reverse_string(s):
    return s.strip()[::-1]
