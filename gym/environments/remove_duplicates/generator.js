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

/** Runs of uneven length over negative and positive numbers. */
export function generate({ count, seed, parameters }) {
  const { int } = randomFrom(seed);
  const maxLength = parameters.max_length ?? 40;
  return Array.from({ length: count }, (_, index) => {
    const length = int(Math.max(6, maxLength >> 2), maxLength);
    const step = [1, 3, 1000][index % 3];
    const longest = [2, 6, maxLength >> 1][index % 3];
    const nums = [];
    for (let number = int(-200, -20); nums.length < length; number += int(1, step)) {
      nums.push(...Array(int(1, longest)).fill(number));
    }
    nums.push(nums[nums.length - 1]);
    return { input: { nums } };
  });
}
