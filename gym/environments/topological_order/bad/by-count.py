def topological_order(n, edges):
    needs = [0] * n
    for _, after in edges:
        needs[after] += 1
    return sorted(range(n), key=lambda task: needs[task])
