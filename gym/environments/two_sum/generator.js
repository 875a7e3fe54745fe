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

/** One hidden pair behind half the target and near misses, several pairs, none at all (one in six), and long lists. */
export function generate({ count, seed, parameters }) {
  const { int, shuffle } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const long = parameters.length !== undefined || index % 8 === 2;
    const length = parameters.length ?? (long ? 12000 : int(8, 50));
    const some = index % 6 !== 5;
    const half = int(-400, 400) * 2 + 1;
    // multiples of four, so that no two of them add up to the target, which is twice an odd number
    const target = 2 * half;
    const reach = long ? 10_000_000 : 500;
    const nums = Array.from({ length }, () => 4 * int(-reach, reach));
    nums[int(0, length - 1)] = half;
    if (some) {
      // in a long list the pair stands near the end, where comparing every pair finds it last
      const [a, b] = shuffle([...nums.keys()].slice(long ? -300 : 0)).slice(0, 2);
      const odd = half + 2 * int(1, 300);
      nums[a] = odd;
      nums[b] = target - odd;
    }
    return { input: { nums, target }, ...(long ? { weight: 3 } : {}) };
  });
}
