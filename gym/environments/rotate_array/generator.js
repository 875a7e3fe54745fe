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

/** Small turns, turns just below and above the length, and turns in the billions. */
export function generate({ count, seed, parameters }) {
  const { int } = randomFrom(seed);
  const maxLength = parameters.max_length ?? 30;
  return Array.from({ length: count }, (_, index) => {
    const length = int(Math.max(3, maxLength >> 2), maxLength);
    const nums = Array.from({ length }, () => int(-99, 99));
    const k = [int(1, length - 1), length - 1, length + int(1, length - 1), length * int(2, 9) + 1, int(1e9, 5e9)][index % 5];
    return { input: { nums, k } };
  });
}
