def rob(nums):
    without_last, with_any = 0, 0
    for money in nums:
        without_last, with_any = with_any, max(with_any, without_last + money)
    return with_any
