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

/** Rearrangements of a few words, and near misses: same set of letters, same sum of codes, one letter more. */
export function generate({ count, seed, parameters }) {
  const { int, pick, shuffle } = randomFrom(seed);
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  return Array.from({ length: count }, (_, index) => {
    const total = parameters.words ?? int(8, 30);
    const alphabet = index % 3 === 0 ? letters.slice(0, 3) : letters;
    const bases = Array.from({ length: Math.max(2, total >> 2) }, () =>
      Array.from({ length: int(2, 9) }, () => pick(alphabet)),
    );
    const strs = Array.from({ length: total }, () => {
      const word = [...pick(bases)];
      const how = int(0, 5);
      if (how === 0) word[0] = word[word.length - 1];
      if (how === 1) word.push(word[0]);
      if (how === 2) {
        const [a, b] = [word[0].charCodeAt(0), word[1].charCodeAt(0)];
        if (a > 97 && b < 122) word.splice(0, 2, String.fromCharCode(a - 1), String.fromCharCode(b + 1));
      }
      return shuffle(word).join('');
    });
    if (index % 4 === 1) strs.push('', strs[0], '');
    return { input: { strs: shuffle(strs) } };
  });
}
