def remove_duplicates(nums):
    for number in nums:
        if nums.count(number) > 1:
            nums.remove(number)
    return nums
