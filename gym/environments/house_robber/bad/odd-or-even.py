def rob(nums):
    return max(sum(nums[::2]), sum(nums[1::2]))
