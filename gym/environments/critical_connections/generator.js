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

/** Blobs (rings with chords, doubled cables, lone computers) joined like a tree, in several parts; one in eight is a long line. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const long = index % 8 === 3 || (parameters.computers !== undefined && index % 2 === 0);
    const most = parameters.computers ?? (long ? 2500 : int(8, 40));
    const edges = [];
    let n = 1;
    if (long) {
      for (; n < most; n += 1) edges.push([n - 1, n]);
      for (let i = int(1, 4); i > 0; i -= 1) {
        const at = int(0, n - 60);
        edges.push([at, at + int(2, 50)]);
      }
    }
    while (n < most) {
      // joined to the rest by one cable, by two, or not at all
      const joined = pick([1, 1, 1, 2, 0]);
      const size = pick([1, 1, 3, int(3, 9)]);
      for (let i = 0; i < size && size > 1; i += 1) edges.push([n + i, n + ((i + 1) % size)]);
      const doubled = int(0, n - 1);
      for (let i = 0; i < joined; i += 1) edges.push([int(0, 1) ? doubled : int(0, n - 1), n + int(0, size - 1)]);
      if (joined === 1 && int(0, 3) === 0) edges.push([...edges[edges.length - 1]].reverse());
      n += size;
    }
    const labels = shuffle(Array.from({ length: n }, (_, i) => i));
    const mixed = shuffle(edges).map((edge) => (int(0, 1) ? edge : [...edge].reverse()));
    return { input: { n, edges: mixed.map(([a, b]) => [labels[a], labels[b]]) }, ...(long ? { weight: 2 } : {}) };
  });
}
