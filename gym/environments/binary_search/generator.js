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
  return { int, pick };
}

/** Pairs: a hit (often at an end) and a miss (in a gap, or just outside) in lists of all lengths. */
export function generate({ count, seed, parameters }) {
  const { int, pick } = randomFrom(seed);
  const maxLength = parameters.max_length ?? 60;
  const pairs = Math.max(1, count >> 1);
  const ascending = () => {
    const nums = [];
    const length = int(maxLength >> 3, maxLength);
    for (let number = int(-900, 0) * 2; nums.length < length; number += 2 * int(1, 9)) nums.push(number);
    return nums;
  };
  const cases = [];
  for (let pair = 0; cases.length < count; pair += 1) {
    const group = `pair-${Math.min(pair, pairs - 1)}`;
    const nums = ascending();
    const at = pair % 5 === 0 ? nums.length - 1 : pair % 5 === 1 ? 0 : int(0, nums.length - 1);
    cases.push({ input: { nums, target: nums[at] }, expected: at, group });
    const other = ascending();
    // all members are even
    const target = pair % 4 === 0 ? pick([other[0] - 2, other[other.length - 1] + 2]) : pick(other) + pick([-1, 1]);
    cases.push({ input: { nums: other, target }, expected: -1, group });
  }
  return cases.slice(0, count);
}
