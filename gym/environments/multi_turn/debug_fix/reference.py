def sum_evens(nums):
    """The sum of the even numbers in nums."""
    return sum(n for n in nums if n % 2 == 0)
