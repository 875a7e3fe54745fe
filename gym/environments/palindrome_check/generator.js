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

const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
const skipped = [...` ____-,.!?'":;()@#`];

/** Pairs: a palindrome and the same text with one counting character replaced. */
export function generate({ count, seed, parameters }) {
  const { int, pick } = randomFrom(seed);
  const maxLength = parameters.max_length ?? 24;
  const least = Math.max(4, maxLength >> 2);
  const pairs = Math.max(1, count >> 1);
  const dress = (text) =>
    text
      .map((letter) => (int(0, 1) ? letter.toUpperCase() : letter) + (int(0, 3) ? '' : pick(skipped)))
      .join('');
  const cases = [];
  for (let pair = 0; cases.length < count; pair += 1) {
    const half = Array.from({ length: int(least, maxLength) >> 1 }, () => pick(letters));
    const text = [...half, ...(int(0, 1) ? [pick(letters)] : []), ...[...half].reverse()];
    const broken = [...text];
    // near the middle as often as at the ends
    const at = pick([0, half.length - 1, int(0, half.length - 1)]);
    broken[at] = pick(letters.filter((letter) => letter !== broken[at]));
    const group = `pair-${Math.min(pair, pairs - 1)}`;
    cases.push({ input: { s: dress(text) }, expected: true, group }, { input: { s: dress(broken) }, expected: false, group });
  }
  return cases.slice(0, count);
}
