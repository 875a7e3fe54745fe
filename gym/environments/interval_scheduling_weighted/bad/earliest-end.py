def best_schedule(jobs):
    total, free = 0, float("-inf")
    for start, end, value in sorted(jobs, key=lambda job: job[1]):
        if start >= free:
            total, free = total + value, end
    return total
