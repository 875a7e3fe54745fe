def variance(values):
    count = len(values)
    return sum(value * value for value in values) / count - (sum(values) / count) ** 2
