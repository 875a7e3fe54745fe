export function criticalConnections(n, edges) {
  const cables = Array.from({ length: n }, () => []);
  for (const [cable, [a, b]] of edges.entries()) {
    cables[a].push([b, cable]);
    cables[b].push([a, cable]);
  }
  const order = new Array(n).fill(-1);
  const lowest = new Array(n).fill(0);
  const critical = [];
  let found = 0;
  for (let root = 0; root < n; root += 1) {
    if (order[root] >= 0) continue;
    order[root] = lowest[root] = found++;
    const path = [{ here: root, above: -1, next: 0 }];
    while (path.length > 0) {
      const step = path.at(-1);
      const { here, above } = step;
      if (step.next < cables[here].length) {
        const [there, cable] = cables[here][step.next++];
        if (cable === above) continue;
        if (order[there] >= 0) lowest[here] = Math.min(lowest[here], order[there]);
        else {
          order[there] = lowest[there] = found++;
          path.push({ here: there, above: cable, next: 0 });
        }
        continue;
      }
      path.pop();
      const parent = path.at(-1)?.here;
      if (parent === undefined) continue;
      lowest[parent] = Math.min(lowest[parent], lowest[here]);
      if (lowest[here] > order[parent]) critical.push([parent, here]);
    }
  }
  return critical;
}
