CLOSING = {"(": ")", "[": "]", "{": "}"}


def is_valid(s):
    awaited = []
    for bracket in s:
        if bracket in CLOSING:
            awaited.append(CLOSING[bracket])
        elif not awaited or awaited.pop() != bracket:
            return False
    return not awaited
