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
  return { next, int, pick };
}

/** Small deviations around means from 0 to 10^12 times as large, ramps and outliers. */
export function generate({ count, seed, parameters }) {
  const { next, int, pick } = randomFrom(seed);
  const maxLength = parameters.max_length ?? 200;
  return Array.from({ length: count }, (_, index) => {
    const length = int(Math.max(4, maxLength >> 3), maxLength);
    const spread = pick([0.5, 3, 20, 1000]);
    const mean = [1e12, 3e10, 1e8, 0, 7e11, 1e12][index % 6] * spread * (int(0, 1) ? 1 : -1) * (0.5 + next() / 2);
    const values = Array.from({ length }, (_, at) => {
      if (index % 5 === 2) return mean + (spread * at) / 7;
      return mean + spread * (2 * next() - 1);
    });
    if (index % 6 === 3) values[int(0, length - 1)] += 1e5 * spread;
    return { input: { values } };
  });
}
