def longest_common_subsequence(a, b):
    best = 0
    above = [0] * (len(b) + 1)
    for letter in a:
        row = [0] * (len(b) + 1)
        for j, other in enumerate(b):
            if letter == other:
                row[j + 1] = above[j] + 1
                best = max(best, row[j + 1])
        above = row
    return best
