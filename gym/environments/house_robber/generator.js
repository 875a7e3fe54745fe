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

/** Streets where the better parity changes, where a rich house has two nearly as rich neighbours, and long ones. */
export function generate({ count, seed, parameters }) {
  const { int } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const length = parameters.length ?? (index % 8 === 6 ? 3000 : int(12, 50));
    const shape = index % 3;
    let phase = 0;
    const nums = Array.from({ length }, (_, at) => {
      if (shape === 0) return int(0, 400);
      if (shape === 1) {
        if (int(0, 3) === 0) phase += 1;
        return (at + phase) % 2 ? int(150, 200) : int(0, 20);
      }
      return at % 4 === 1 ? int(100, 120) : at % 4 === 3 ? int(0, 99) : int(50, 75);
    });
    return { input: { nums } };
  });
}
