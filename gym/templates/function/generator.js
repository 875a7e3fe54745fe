/** Numbers in [0, 1) that depend on the seed alone. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** Lists that begin below zero in half of the cases and never rise all the way, so that an echo of the input earns nothing. */
export function generate({ count, seed }) {
  const random = randomFrom(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  return Array.from({ length: count }, (_, index) => {
    const high = index % 2 === 0 ? -1 : 50;
    const values = Array.from({ length: int(4, 12) }, () => int(-50, high));
    values.push(Math.min(...values) - 1);
    return { input: { values } };
  });
}
