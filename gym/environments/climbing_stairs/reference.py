def climb_stairs(n):
    ways, following = 1, 1
    for _ in range(n):
        ways, following = following, ways + following
    return ways
