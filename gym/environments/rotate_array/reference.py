def rotate_array(nums, k):
    if not nums:
        return []
    k %= len(nums)
    return nums[len(nums) - k:] + nums[:len(nums) - k]
