def max_subarray(nums):
    best = ending_here = 0
    for number in nums:
        ending_here = max(0, ending_here + number)
        best = max(best, ending_here)
    return best
