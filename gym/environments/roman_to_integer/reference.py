VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def roman_to_int(s):
    total = largest = 0
    for letter in reversed(s):
        value = VALUES[letter]
        largest = max(largest, value)
        total += value if value == largest else -value
    return total
