from bisect import bisect_left


def best_schedule(jobs):
    ends, best = [], [0]
    for start, end, value in sorted(jobs, key=lambda job: job[1]):
        best.append(max(best[-1], best[bisect_left(ends, start)] + value))
        ends.append(end)
    return best[-1]
