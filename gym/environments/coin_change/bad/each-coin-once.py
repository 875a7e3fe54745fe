def coin_change(coins, amount):
    fewest = [0] + [float("inf")] * amount
    for coin in coins:
        for total in range(amount, coin - 1, -1):
            fewest[total] = min(fewest[total], fewest[total - coin] + 1)
    return fewest[amount] if fewest[amount] != float("inf") else -1
