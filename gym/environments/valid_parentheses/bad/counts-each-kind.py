def is_valid(s):
    return all(s.count(a) == s.count(b) for a, b in ("()", "[]", "{}"))
