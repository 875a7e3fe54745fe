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

/** All shapes: flat, tall, square, of odd and even sides, with repeated elements. */
export function generate({ count, seed, parameters }) {
  const { int } = randomFrom(seed);
  const maxSide = parameters.max_side ?? 9;
  const least = Math.max(2, maxSide >> 2);
  return Array.from({ length: count }, (_, index) => {
    let [rows, columns] = [int(least, maxSide), int(least, maxSide)];
    if (index % 5 === 1) columns = rows;
    if (index % 5 === 2) [rows, columns] = index % 2 ? [1, int(6, maxSide)] : [int(6, maxSide), 1];
    if (index % 5 === 3) columns = rows + 2;
    const spread = index % 4 === 0 ? 2 : 999;
    return { input: { matrix: Array.from({ length: rows }, () => Array.from({ length: columns }, () => int(-spread, spread))) } };
  });
}
