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

/** Several runs with gaps of one between them, shuffled, with repeats; every eighth case is one long run. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const length = parameters.length ?? (index % 8 === 3 ? 15000 : int(15, 70));
    const nums = [];
    let next = index % 2 ? -int(1, 60) : int(-1000000000, 1000000000);
    if (length > 5000 && index % 2) {
      // one long run: an answer that starts walking at every number never ends
      for (let i = 0; i < length - int(1, 999); i += 1) nums.push(next + i);
      next += length + 2;
    }
    while (nums.length < length) {
      const run = int(1, Math.max(3, length > 5000 ? length >> 3 : length >> 1));
      for (let i = 0; i < run; i += 1) nums.push(next + i);
      next += run + pick([1, 1, 2, 1000000]);
    }
    for (let i = 0; i < length >> 3; i += 1) nums.push(pick(nums));
    return { input: { nums: shuffle(nums) } };
  });
}
