function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function generate({ count, seed }) {
  const random = mulberry32(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  return Array.from({ length: count }, () => {
    const reach = 10 ** int(1, 4);
    const nums = Array.from({ length: int(5, 40) }, () => int(-reach, reach));
    // Never a sum of 0, so that returning 0 is never right by chance.
    const sum = nums.filter((n) => n % 2 === 0).reduce((a, b) => a + b, 0);
    return { input: { nums: sum === 0 ? [...nums, 2] : nums } };
  });
}
