import heapq


def shortest_path_k_stops(n, edges, source, target, k):
    following = {}
    for start, end, cost in edges:
        following.setdefault(start, []).append((end, cost))
    done, queue = set(), [(0, source)]
    while queue:
        cost, station = heapq.heappop(queue)
        if station == target:
            return cost
        if station not in done:
            done.add(station)
            for end, more in following.get(station, []):
                heapq.heappush(queue, (cost + more, end))
    return -1
