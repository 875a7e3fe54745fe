from math import fsum


def variance(values):
    count = len(values)
    mean = fsum(values) / count
    deviations = [value - mean for value in values]
    # the second term takes back what the rounding of the mean has added
    squares = fsum(deviation * deviation for deviation in deviations)
    return (squares - fsum(deviations) ** 2 / count) / count
