export function shortestPathKStops(n, edges, source, target, k) {
  let costs = new Array(n).fill(Infinity);
  costs[source] = 0;
  for (let used = 0; used <= k && used < n; used += 1) {
    const following = [...costs];
    for (const [start, end, cost] of edges) following[end] = Math.min(following[end], costs[start] + cost);
    costs = following;
  }
  return Number.isFinite(costs[target]) ? costs[target] : -1;
}
