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
  const shuffle = (list) => {
    const out = [...list];
    for (let i = out.length - 1; i > 0; i -= 1) {
      const j = int(0, i);
      [out[i], out[j]] = [out[j], out[i]];
    }
    return out;
  };
  return { int, pick, shuffle };
}

/** Amounts that mislead the greedy answer, and one in eight that cannot be made up. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  const maxAmount = parameters.max_amount ?? 240;
  const maxCoin = parameters.max_coin ?? 24;
  const least = maxAmount >> 9;
  return Array.from({ length: count }, (_, index) => {
    if (index % 8 === 5) {
      // all coins are even and the amount is odd
      const coins = Array.from({ length: int(2, 3) }, () => 2 * int(2, maxCoin >> 1));
      return { input: { coins, amount: 2 * int(maxAmount >> 3, maxAmount >> 1) - 1 } };
    }
    if (index % 3 !== 0) {
      // two of the middle coin beat the largest coin and its change in ones
      const middle = int(4, maxCoin - 3);
      const large = int(middle + 1, Math.min(2 * middle - 2, maxCoin));
      const coins = shuffle([1, middle, large, ...(int(0, 1) ? [large] : [])]);
      const amount = large * int(least, Math.max(least, Math.floor(maxAmount / large) - 2)) + 2 * middle;
      return { input: { coins, amount } };
    }
    const coins = Array.from({ length: int(2, 5) }, () => int(3, maxCoin));
    let amount = 0;
    const target = int(maxAmount >> 2, maxAmount);
    while (amount < target) amount += pick(coins);
    return { input: { coins, amount } };
  });
}
