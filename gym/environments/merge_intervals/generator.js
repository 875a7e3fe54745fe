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

/** Clusters of overlapping, nested and touching intervals with gaps of exactly one between clusters, shuffled. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const total = parameters.intervals ?? int(6, 25);
    const intervals = [];
    let at = int(-80, 20);
    while (intervals.length < total) {
      const begin = at;
      let end = at;
      for (let i = int(1, 4); i > 0; i -= 1) {
        const start = pick([end, end, int(begin, end)]);
        const stop = start + pick([0, int(0, 6), int(5, 30)]);
        intervals.push([start, stop]);
        end = Math.max(end, stop);
      }
      if (int(0, 2) === 0) intervals.push([begin, begin]);
      at = end + pick([1, 1, 2, 15]);
    }
    return { input: { intervals: shuffle(intervals) } };
  });
}
