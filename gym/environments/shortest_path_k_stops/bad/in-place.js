function shortestPathKStops(n, edges, source, target, k) {
  const costs = new Array(n).fill(Infinity);
  costs[source] = 0;
  for (let used = 0; used <= k; used += 1) {
    for (const [start, end, cost] of edges) costs[end] = Math.min(costs[end], costs[start] + cost);
  }
  return costs[target] === Infinity ? -1 : costs[target];
}
