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

const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));
const wide = [...'éßñøžΩλжя漢字かな한글אب🦊🐢🚀𝒳𝔘🂡'];

export function generate({ count, seed, parameters }) {
  const { int, pick } = randomFrom(seed);
  const maxLength = parameters.max_length ?? 60;
  const least = Math.max(6, maxLength >> 3);
  return Array.from({ length: count }, (_, index) => {
    const length = int(least, maxLength);
    const alphabet = [ascii, wide, [...ascii, ...wide], ['a', 'b']][index % 4];
    let s = Array.from({ length }, () => pick(alphabet)).join('');
    if (index % 4 === 3) s += 'c';
    if (index % 5 === 1) s = `${pick([' ', '\t', '\n'])}${s}  `;
    return { input: { s } };
  });
}
