def two_sum(nums, target):
    places = {number: i for i, number in enumerate(nums)}
    for i, number in enumerate(nums):
        if target - number in places:
            return sorted([i, places[target - number]])
    return []
