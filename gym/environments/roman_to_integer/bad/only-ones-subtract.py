def roman_to_int(s):
    values = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = sum(values[letter] for letter in s)
    return total - 2 * (("IV" in s) + ("IX" in s))
