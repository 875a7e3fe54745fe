function criticalConnections(n, edges) {
  const near = Array.from({ length: n }, () => []);
  edges.forEach(([a, b], i) => {
    near[a].push([b, i]);
    near[b].push([a, i]);
  });
  const order = new Array(n).fill(-1);
  const low = new Array(n).fill(0);
  const out = [];
  let time = 0;
  const visit = (here, via) => {
    order[here] = low[here] = time++;
    for (const [there, i] of near[here]) {
      if (i === via) continue;
      if (order[there] < 0) {
        visit(there, i);
        low[here] = Math.min(low[here], low[there]);
        if (low[there] > order[here]) out.push([here, there]);
      } else low[here] = Math.min(low[here], order[there]);
    }
  };
  if (n > 0) visit(0, -1);
  return out;
}
