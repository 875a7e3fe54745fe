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

const characters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789.,;!?-_()'];

/** Words between uneven white space, one in three texts with white space at the ends. */
export function generate({ count, seed, parameters }) {
  const { int, pick } = randomFrom(seed);
  return Array.from({ length: count }, (_, index) => {
    const gaps = index % 2 ? [' ', '  ', '   '] : [' ', '\t', '\n', ' \t', '\n\n', '    '];
    const words = parameters.words ?? int(3, 12);
    let s = index % 3 === 0 ? pick(gaps) : '';
    for (let at = 0; at < words; at += 1) {
      if (at > 0) s += pick(gaps);
      for (let length = int(2, 9); length > 0; length -= 1) s += pick(characters);
    }
    if (index % 3 === 0) s += pick(gaps);
    return { input: { s } };
  });
}
