export function topologicalOrder(n, edges) {
  const after = Array.from({ length: n }, () => []);
  const missing = new Array(n).fill(0);
  for (const [first, second] of edges) {
    after[first].push(second);
    missing[second] += 1;
  }
  const order = [...missing.keys()].filter((task) => missing[task] === 0);
  for (const task of order) {
    for (const following of after[task]) {
      missing[following] -= 1;
      if (missing[following] === 0) order.push(following);
    }
  }
  return order.length === n ? order : [];
}
