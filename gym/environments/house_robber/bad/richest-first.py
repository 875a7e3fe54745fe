def rob(nums):
    taken = set()
    for at in sorted(range(len(nums)), key=lambda at: -nums[at]):
        if at - 1 not in taken and at + 1 not in taken:
            taken.add(at)
    return sum(nums[at] for at in taken)
