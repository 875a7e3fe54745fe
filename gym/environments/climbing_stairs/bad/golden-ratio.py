def climb_stairs(n):
    root = 5 ** 0.5
    return round(((1 + root) / 2) ** (n + 1) / root)
