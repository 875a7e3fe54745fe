def critical_connections(n, edges):
    degree = [0] * n
    for a, b in edges:
        degree[a] += 1
        degree[b] += 1
    return [[a, b] for a, b in edges if degree[a] == 1 or degree[b] == 1]
