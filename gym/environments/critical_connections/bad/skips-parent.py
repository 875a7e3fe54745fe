import sys

sys.setrecursionlimit(10000)


def critical_connections(n, edges):
    near = [[] for _ in range(n)]
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    order, low, critical = {}, {}, []

    def visit(here, parent):
        order[here] = low[here] = len(order)
        for there in near[here]:
            if there == parent:
                continue
            if there not in order:
                visit(there, here)
                low[here] = min(low[here], low[there])
                if low[there] > order[here]:
                    critical.append([here, there])
            else:
                low[here] = min(low[here], order[there])

    for start in range(n):
        if start not in order:
            visit(start, -1)
    return critical
