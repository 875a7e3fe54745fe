def longest_consecutive(nums):
    nums = sorted(nums)
    longest = run = 1 if nums else 0
    for before, number in zip(nums, nums[1:]):
        run = run + 1 if number == before + 1 else 1
        longest = max(longest, run)
    return longest
