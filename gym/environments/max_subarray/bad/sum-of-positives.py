def max_subarray(nums):
    return sum(number for number in nums if number > 0)
