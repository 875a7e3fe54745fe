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

/** Noise, all negative, two hills with a valley of nearly their height, and every eighth case long. */
export function generate({ count, seed, parameters }) {
  const { int } = randomFrom(seed);
  const numbers = (length, low, high) => Array.from({ length }, () => int(low, high));
  return Array.from({ length: count }, (_, index) => {
    if (parameters.length) {
      return { input: { nums: index % 3 === 2 ? numbers(parameters.length, -100000, -9) : numbers(parameters.length, -1000, 990) } };
    }
    if (index % 8 === 7) return { input: { nums: numbers(10000, -1000, 980) } };
    if (index % 4 === 0) return { input: { nums: numbers(int(5, 40), -1000000, -int(1, 5000)) } };
    if (index % 4 === 1) {
      const hills = [numbers(int(2, 8), 1, 60), numbers(int(2, 8), 1, 60)];
      const height = Math.min(...hills.map((hill) => hill.reduce((a, b) => a + b)));
      return { input: { nums: [-int(1, 9), ...hills[0], int(-3, 3) - height, ...hills[1], -int(1, 9)] } };
    }
    return { input: { nums: numbers(int(20, 60), -100, 90) } };
  });
}
