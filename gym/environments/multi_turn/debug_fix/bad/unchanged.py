def sum_evens(nums):
    """The sum of the even numbers in nums."""
    total = 0
    nums.sort()
    for i in range(1, len(nums)):
        if nums[i] < 0:
            continue
        if nums[i] % 2 == 1:
            total += nums[i]
    return total
