def max_subarray(nums):
    best = ending_here = nums[0]
    for number in nums[1:]:
        ending_here = number if ending_here < 0 else ending_here + number
        if ending_here > best:
            best = ending_here
    return best
