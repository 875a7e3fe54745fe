from bisect import bisect_left


def binary_search(nums, target):
    return bisect_left(nums, target)
