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
  return { int };
}

/** Noise, few different numbers, reversed, organ pipes; one in eight is long, and in turn noise, equal or reversed. */
export function generate({ count, seed, parameters }) {
  const { int } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const long = parameters.length !== undefined || index % 8 === 4;
    const length = parameters.length ?? (long ? 10000 : int(10, 60));
    const shape = long ? (parameters.length ? index : index >> 3) % 3 : index % 4;
    const base = int(-1000, 1000);
    const lst = Array.from({ length }, (_, at) => {
      if (shape === 0) return int(-100000, 100000);
      if (shape === 1) return base + int(0, long ? 1 : 3);
      if (shape === 2) return base - 3 * at;
      return base + Math.min(at, length - at) * 7;
    });
    return { input: { lst }, ...(long ? { weight: 3 } : {}) };
  });
}
