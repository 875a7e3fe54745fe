def longest_common_subsequence(a, b):
    length = start = 0
    for letter in a:
        at = b.find(letter, start)
        if at >= 0:
            length += 1
            start = at + 1
    return length
