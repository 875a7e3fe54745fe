def transform(s):
    words, word = [], ""
    for character in s + " ":
        if not character.isspace():
            word = character + word
        elif word:
            words.append(word)
            word = ""
    return " ".join(words)
