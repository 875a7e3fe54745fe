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

/** Two edits of one text, a rotation of it, or noise over few letters. */
export function generate({ count, seed, parameters }) {
  const { int, pick } = randomFrom(seed);
  const maxLength = parameters.max_length ?? 90;
  const alphabets = ['ab', 'acgt', 'abcdefghijklmnopqrstuvwxyz'].map((letters) => [...letters]);
  return Array.from({ length: count }, (_, index) => {
    const letters = alphabets[index % 3];
    const noise = (length) => Array.from({ length }, () => pick(letters));
    const text = noise(int(maxLength >> 2, maxLength));
    const edited = (often) =>
      text.flatMap((letter) => (int(0, often) ? [letter] : int(0, 1) ? [] : [pick(letters), letter]));
    let [a, b] = [edited(4), edited(6)];
    if (index % 4 === 1) {
      const at = text.length >> 2;
      [a, b] = [text, [...text.slice(at), ...text.slice(0, at)]];
    }
    if (index % 4 === 3) [a, b] = [text, noise(int(maxLength >> 2, maxLength))];
    return { input: { a: a.join(''), b: b.join('') } };
  });
}
