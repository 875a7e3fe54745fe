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

/** Different numbers of steps; three in five are too high for floating point. */
export function generate({ count, seed }) {
  const { int } = randomFrom(seed);
  const used = new Set();
  return Array.from({ length: count }, (_, index) => {
    // no range is ever exhausted: it widens as more is asked for
    const spare = count;
    const draw = () => [int(5, 30 + spare), int(79, 400 + spare), int(30, 76 + spare), int(400, 1200), int(1200, 2000)][index % 5];
    let n = draw();
    for (let tries = 0; used.has(n) && tries < 1000; tries += 1) n = draw();
    used.add(n);
    return { input: { n } };
  });
}
