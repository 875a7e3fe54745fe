from itertools import combinations


def two_sum(nums, target):
    places = {number: i for i, number in enumerate(nums)}
    for i, number in enumerate(nums):
        j = places.get(target - number, i)
        if j > i:
            return [i, j]
    return []
