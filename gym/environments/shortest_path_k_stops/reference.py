def shortest_path_k_stops(n, edges, source, target, k):
    unreached = float("inf")
    costs = [unreached] * n
    costs[source] = 0
    for _ in range(min(k + 1, n)):
        following = costs[:]
        for start, end, cost in edges:
            if costs[start] + cost < following[end]:
                following[end] = costs[start] + cost
        if following == costs:
            break
        costs = following
    return -1 if costs[target] == unreached else costs[target]
