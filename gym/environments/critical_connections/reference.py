def critical_connections(n, edges):
    cables = [[] for _ in range(n)]
    for cable, (a, b) in enumerate(edges):
        cables[a].append((b, cable))
        cables[b].append((a, cable))
    order = [-1] * n  # in which a computer was found
    lowest = [0] * n  # order of the earliest computer reachable from below without the cable above
    critical = []
    found = 0
    for root in range(n):
        if order[root] >= 0:
            continue
        order[root] = lowest[root] = found
        found += 1
        path = [(root, -1, iter(cables[root]))]
        while path:
            here, above, left = path[-1]
            for there, cable in left:
                if cable == above:
                    continue
                if order[there] < 0:
                    order[there] = lowest[there] = found
                    found += 1
                    path.append((there, cable, iter(cables[there])))
                    break
                lowest[here] = min(lowest[here], order[there])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[here])
                    if lowest[here] > order[parent]:
                        critical.append([parent, here])
    return critical
