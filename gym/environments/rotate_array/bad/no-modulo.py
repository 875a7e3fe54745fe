def rotate_array(nums, k):
    return nums[-k:] + nums[:-k]
