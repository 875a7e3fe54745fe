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
  const pick = (list) => list[int(0, list.length - 1)];
  const shuffle = (list) => {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i -= 1) {
      const j = int(0, i);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  };
  return { int, pick, shuffle };
}

/**
 * Half of the cases: a cheap chain with ever dearer shortcuts; in a few of them nothing is short enough. The other half: a row of hops, each
 * either dear and direct or cheap with a stop, and stops for some of them only.
 */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);

  const chainWithShortcuts = (n, tooLong) => {
    const last = int(n >> 1, n - 1);
    const edges = [];
    for (let at = 0; at < last; at += 1) edges.push([at, at + 1, int(1, 9)]);
    if (tooLong) {
      // no connection skips more than one station
      for (let at = 0; at + 2 <= last; at += 1) if (int(0, 2)) edges.push([at, at + 2, int(5, 30)]);
      return { edges, last, k: Math.max(0, Math.ceil(last / 2) - 2) };
    }
    for (let i = 0; i < 3 * n; i += 1) {
      const from = int(0, last - 1);
      const to = Math.min(last, from + int(2, Math.max(2, last >> 1)));
      edges.push([from, to, (to - from) * int(8, 20) + int(0, 9)]);
    }
    for (let i = 0; i < n; i += 1) edges.push([int(0, n - 1), pick([0, int(0, last - 1)]), int(0, 20)]);
    edges.push([0, last, 20 * last + int(1, 99)]);
    return { edges, last, k: pick([last - 2, Math.min(last - 2, 4), 2]) };
  };

  const hops = (n) => {
    const last = (n - 1) >> 1;
    const edges = [];
    for (let at = 0; at < last; at += 1) {
      const stop = last + 1 + at;
      edges.push([at, at + 1, int(20, 90)], [at, stop, int(1, 9)], [stop, at + 1, int(1, 9)]);
      if (int(0, 2) === 0) edges.push([stop, int(0, at), int(0, 5)]);
    }
    return { edges, last, k: last - 1 + int(1, Math.max(1, last - 2)) };
  };

  return Array.from({ length: count }, (_, index) => {
    const n = parameters.stations ?? int(9, 25);
    const { edges, last, k } = index % 2 ? hops(n) : chainWithShortcuts(n, index % 8 === 6);
    const labels = shuffle(Array.from({ length: n }, (_, i) => i));
    return {
      input: {
        n,
        edges: shuffle(edges).map(([from, to, cost]) => [labels[from], labels[to], cost]),
        source: labels[0],
        target: labels[last],
        k,
      },
    };
  });
}
