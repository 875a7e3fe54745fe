def remove_duplicates(nums):
    return list(set(nums))
