def rotate_array(nums, k):
    if not nums:
        return []
    k %= len(nums)
    return nums[k:] + nums[:k]
