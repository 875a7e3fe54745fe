def two_sum(nums, target):
    seen = {}
    for j, number in enumerate(nums, 1):
        if target - number in seen:
            return [seen[target - number], j]
        seen[number] = j
    return []
