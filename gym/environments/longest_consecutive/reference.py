def longest_consecutive(nums):
    present = set(nums)
    longest = 0
    for start in present:
        if start - 1 not in present:
            end = start + 1
            while end in present:
                end += 1
            longest = max(longest, end - start)
    return longest
