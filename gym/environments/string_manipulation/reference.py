def transform(s):
    pieces = []
    word = ""
    for character in s:
        if character in " \t\n":
            pieces += (word, character)
            word = ""
        else:
            word = character + word
    return "".join(pieces) + word
