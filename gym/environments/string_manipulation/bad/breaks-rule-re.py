import re


def transform(s):
    pieces = []
    for piece in re.findall(r"[ \t\n]+|[^ \t\n]+", s):
        pieces.append(piece if piece[0] in " \t\n" else piece[::-1])
    return "".join(pieces)
