def transform(s):
    out = ""
    for character in s:
        out = character + out
    return out
