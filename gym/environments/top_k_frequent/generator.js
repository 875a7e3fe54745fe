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

/** Few different counts, so that ties decide, most of all at the k-th place. */
export function generate({ count, seed, parameters }) {
  const { int, shuffle } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const different = parameters.length ? parameters.length >> 3 : int(6, 16);
    const numbers = new Set();
    while (numbers.size < different) numbers.add(int(-10 * different, 12 * different));
    const most = [2, 3, 6, 1][index % 4] * (parameters.length ? 3 : 1);
    const nums = [...numbers].flatMap((number) => Array(int(1, most)).fill(number));
    const k = index % 6 === 5 ? different + int(1, 9) : int(2, different - 1);
    return { input: { nums: shuffle(nums), k } };
  });
}
