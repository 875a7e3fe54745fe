def coin_change(coins, amount):
    # Breadth first over sets of sums, a set being the bits of one integer: bit s says that s can be made with so many coins.
    reachable = 1
    mask = (1 << (amount + 1)) - 1
    coins = set(coins)
    seen = 1
    count = 0
    while not reachable >> amount & 1:
        following = 0
        for coin in coins:
            following |= reachable << coin
        reachable = following & mask & ~seen
        if not reachable:
            return -1
        seen |= reachable
        count += 1
    return count
