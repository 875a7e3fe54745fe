def remove_duplicates(nums):
    unique = []
    for number in nums:
        if not unique or unique[-1] != number:
            unique.append(number)
    return unique
