def longest_common_subsequence(a, b):
    # Hyyrö 2004: a column of the table is one integer, whose zero bits are the rows at which the length grows.
    places = {}
    for row, letter in enumerate(a):
        places[letter] = places.get(letter, 0) | 1 << row
    full = (1 << len(a)) - 1
    column = full
    for letter in b:
        matched = column & places.get(letter, 0)
        column = (column + matched | column - matched) & full
    return len(a) - bin(column).count("1")
