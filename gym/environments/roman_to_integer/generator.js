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

const symbols = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']];

/** Different numbers; two in three have a digit 4 or 9. */
export function generate({ count, seed }) {
  const { int, pick } = randomFrom(seed);
  const numbers = new Set();
  for (let index = 0; numbers.size < Math.min(count, 3900); index += 1) {
    const digits = [int(0, 3), int(0, 9), int(0, 9), int(0, 9)];
    if (index % 3) digits[int(1, 3)] = pick([4, 9]);
    const number = Number(digits.join(''));
    if (number > 0) numbers.add(number);
  }
  return [...numbers].map((number) => {
    let s = '';
    let left = number;
    for (const [value, letters] of symbols) {
      for (; left >= value; left -= value) s += letters;
    }
    return { input: { s }, expected: number };
  });
}
