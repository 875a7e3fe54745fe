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

/** Rules in any order, with repeated divisors, multiples of one another and now and then an empty word. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  const syllables = ['Fizz', 'Buzz', 'Bang', 'pop', 'klick', 'ü', '7', 'x-', ' '];
  const maxN = parameters.max_n ?? 60;
  return Array.from({ length: count }, (_, index) => {
    const base = int(2, 5);
    const divisors = [base, base * int(2, 3), int(2, 11), ...Array.from({ length: int(0, 2) }, () => int(2, 13))];
    if (index % 3 === 1) divisors.push(pick(divisors));
    const rules = shuffle(divisors).map((divisor) => [divisor, pick(syllables) + pick(syllables)]);
    if (index % 3 === 2) rules.push([pick(divisors) + 2, '']);
    return { input: { n: int(maxN >> 1, maxN), rules } };
  });
}
