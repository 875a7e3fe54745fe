from bisect import bisect_right


def best_schedule(jobs):
    ends = []
    best = [0]  # best[i]: with the first i jobs, by their ends
    for start, end, value in sorted(jobs, key=lambda job: job[1]):
        best.append(max(best[-1], best[bisect_right(ends, start)] + value))
        ends.append(end)
    return best[-1]
