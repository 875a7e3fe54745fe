import re


def full_match(pattern, text):
    tree, _ = _either(pattern, 0)
    return bool(_ends(tree, text, 1) >> len(text) & 1)


# A pattern is parsed into (kind, content): ("one", predicate), ("row", parts), ("either", parts), ("*+?", part).


def _either(pattern, at):
    parts = [[]]
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            parts.append([])
            at += 1
            continue
        part, at = _item(pattern, at)
        if at < len(pattern) and pattern[at] in "*+?":
            part = (pattern[at], part)
            at += 1
        parts[-1].append(part)
    return ("either", [("row", row) for row in parts]), at


def _item(pattern, at):
    first = pattern[at]
    if first == "(":
        part, at = _either(pattern, at + 1)
        return part, at + 1
    end = pattern.index("]", at) if first == "[" else at
    one = re.compile(pattern[at:end + 1])
    return ("one", lambda character: one.match(character) is not None), end + 1


def _ends(tree, text, starts):
    """Sets of places as bits: where a match can end that begins at one of the starts."""
    kind, content = tree
    if kind == "one":
        return sum(1 << at + 1 for at, character in enumerate(text) if starts >> at & 1 and content(character))
    if kind == "row":
        for part in content:
            starts = _ends(part, text, starts)
        return starts
    if kind == "either":
        reached = 0
        for part in content:
            reached |= _ends(part, text, starts)
        return reached
    if kind == "?":
        return starts | _ends(content, text, starts)
    reached = starts if kind == "*" else 0
    fresh = starts
    while fresh:
        fresh = _ends(content, text, fresh) & ~reached
        reached |= fresh
    return reached
