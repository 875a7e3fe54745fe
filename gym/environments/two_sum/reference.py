def two_sum(nums, target):
    seen = {}
    for j, number in enumerate(nums):
        if target - number in seen:
            return [seen[target - number], j]
        seen[number] = j
    return []
