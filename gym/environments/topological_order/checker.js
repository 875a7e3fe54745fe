export function check([n, edges], order) {
  if (!Array.isArray(order)) return false;
  if (order.length === 0) return n === 0 || hasCircle(n, edges);
  if (order.length !== n) return false;
  const place = new Array(n).fill(-1);
  for (const [at, task] of order.entries()) {
    if (!Number.isInteger(task) || task < 0 || task >= n || place[task] >= 0) return false;
    place[task] = at;
  }
  return edges.every(([before, after]) => place[before] < place[after]);
}

function hasCircle(n, edges) {
  const after = Array.from({ length: n }, () => []);
  const open = new Array(n).fill(0);
  for (const [from, to] of edges) {
    after[from].push(to);
    open[to] += 1;
  }
  const ready = [...open.keys()].filter((task) => open[task] === 0);
  for (const task of ready) {
    for (const following of after[task]) {
      open[following] -= 1;
      if (open[following] === 0) ready.push(following);
    }
  }
  return ready.length < n;
}
