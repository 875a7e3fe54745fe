def variance(values):
    if len(values) < 2:
        return 0.0
    shifted = [value - values[0] for value in values]
    mean = sum(shifted) / len(shifted)
    return sum((value - mean) ** 2 for value in shifted) / (len(shifted) - 1)
