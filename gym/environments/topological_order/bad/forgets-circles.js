function topologicalOrder(n, edges) {
  const missing = new Array(n).fill(0);
  const after = missing.map(() => []);
  for (const [a, b] of edges) {
    after[a].push(b);
    missing[b] += 1;
  }
  const order = missing.flatMap((count, task) => (count === 0 ? [task] : []));
  const seen = new Set(order);
  for (const task of order) {
    for (const next of after[task]) {
      if (seen.has(next)) continue;
      seen.add(next);
      order.push(next);
    }
  }
  return order;
}
