def topological_order(n, edges):
    after = [[] for _ in range(n)]
    missing = [0] * n
    for first, second in edges:
        after[first].append(second)
        missing[second] += 1
    order = [task for task in range(n) if missing[task] == 0]
    for task in order:
        for following in after[task]:
            missing[following] -= 1
            if missing[following] == 0:
                order.append(following)
    return order if len(order) == n else []
