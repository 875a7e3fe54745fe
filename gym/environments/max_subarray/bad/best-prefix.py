def max_subarray(nums):
    best = total = nums[0]
    for number in nums[1:]:
        total += number
        best = max(best, total)
    return best
