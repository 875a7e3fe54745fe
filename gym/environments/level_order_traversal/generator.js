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
  return { next, int };
}

/** Trees with gaps, often with numbers below the gaps that belong to nothing. */
export function generate({ count, seed, parameters }) {
  const { next, int } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const depth = parameters.depth ?? int(4, 6);
    const length = int(2 ** (depth - 1), 2 ** depth - 1);
    const density = [0.95, 0.7, 0.85][index % 3];
    const orphans = index % 2 ? 0.5 : 0;
    const spread = index % 3 === 1 ? 99 : 6;
    const tree = [int(-9, 9)];
    for (let at = 1; at < length; at += 1) {
      const parentExists = tree[(at - 1) >> 1] !== null;
      tree.push(next() < (parentExists ? density : orphans) ? int(-spread, spread) : null);
    }
    return { input: { tree } };
  });
}
