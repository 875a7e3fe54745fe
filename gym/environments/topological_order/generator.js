/** Random numbers that depend on the seed alone (mulberry32). */
function randomFrom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const int = (low, high) => low + Math.floor(next() * (high - low + 1));
  const shuffle = (list) => {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i -= 1) {
      const j = int(0, i);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  };
  return { int, shuffle };
}

/** Dependencies along a hidden order with shuffled numbers; one case in seven has a circle; every eighth is a long chain. */
export function generate({ count, seed, parameters }) {
  const { int, shuffle } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const long = parameters.tasks !== undefined || index % 8 === 1;
    const n = parameters.tasks ?? (long ? 3000 : int(7, 30));
    const order = shuffle(Array.from({ length: n }, (_, i) => i));
    const edges = [];
    const chain = long && index % 3 !== 2;
    for (let at = 1; at < n; at += 1) {
      if (chain || int(0, 3)) edges.push([order[chain ? at - 1 : int(0, at - 1)], order[at]]);
    }
    for (let i = long ? n >> 2 : int(n >> 1, 2 * n); i > 0; i -= 1) {
      const at = int(1, n - 1);
      edges.push([order[int(0, at - 1)], order[at]]);
    }
    if (index % 7 === 5) {
      const at = int(0, n - 4);
      edges.push([order[at], order[at + 1]], [order[at + 1], order[at + 3]], [order[at + 3], order[at]]);
    } else edges.push(edges[0] ?? [order[0], order[1]]);
    return { input: { n, edges: shuffle(edges) }, ...(long && index % 7 !== 5 ? { weight: 2 } : {}) };
  });
}
