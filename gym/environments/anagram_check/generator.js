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

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFXYZ012 .,'];

/** Pairs: a true anagram and one that fails in a single respect. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  const maxLength = parameters.max_length ?? 30;
  const least = Math.max(8, maxLength >> 2);
  const pairs = Math.max(1, count >> 1);
  const word = () => {
    const alphabet = int(0, 1) ? letters : letters.slice(0, 6);
    // `m` and `o` have room on both sides for the spoiled sum
    return [...Array.from({ length: int(least, maxLength) }, () => pick(alphabet)), 'm', 'o', 'k'];
  };
  const spoil = (text, how) => {
    const out = [...text];
    const at = int(0, out.length - 4);
    if (how === 0) out[at] = pick(out.filter((letter) => letter !== out[at]));
    if (how === 1) {
      // the sum of the codes stays the same
      out[out.length - 3] = 'n';
      out[out.length - 2] = 'n';
    }
    if (how === 2) out[out.length - 1] = 'K';
    if (how === 3) out.push(out[at]);
    return out;
  };
  const cases = [];
  for (let pair = 0; cases.length < count; pair += 1) {
    const group = `pair-${Math.min(pair, pairs - 1)}`;
    const good = word();
    const other = word();
    cases.push({ input: { s: shuffle(good).join(''), t: shuffle(good).join('') }, expected: true, group });
    cases.push({ input: { s: shuffle(other).join(''), t: shuffle(spoil(other, pair % 4)).join('') }, expected: false, group });
  }
  return cases.slice(0, count);
}
