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

const kinds = ['()', '[]', '{}'];

/** Pairs: a valid string and one spoiled by a swap, a wrong kind, an extra opening or an extra closing bracket. */
export function generate({ count, seed, parameters }) {
  const { int, pick } = randomFrom(seed);
  const maxLength = parameters.max_length ?? 40;
  const least = Math.max(12, maxLength >> 1);
  const pairs = Math.max(1, count >> 1);
  const valid = () => {
    const out = [];
    const open = [];
    const length = int(least >> 1, maxLength >> 1) * 2;
    while (out.length + open.length < length || open.length > 0) {
      if (open.length > 0 && (out.length + open.length >= length || int(0, 2) === 0)) out.push(open.pop());
      else {
        const kind = pick(kinds);
        out.push(kind[0]);
        open.push(kind[1]);
      }
    }
    return out;
  };
  const spoil = (how) => {
    // the crossing is balanced in every kind
    if (how === 0) return [...valid(), '(', ...valid(), '[', ')', ...valid(), ']'];
    const out = valid();
    if (how === 1) {
      const at = pick(out.flatMap((bracket, i) => (')]}'.includes(bracket) ? [i] : [])));
      out[at] = pick([...')]}'].filter((bracket) => bracket !== out[at]));
    }
    if (how === 2) out.splice(int(0, out.length), 0, pick([...'([{']));
    if (how === 3) out.splice(int(0, out.length), 0, pick([...')]}']));
    return out;
  };
  const cases = [];
  for (let pair = 0; cases.length < count; pair += 1) {
    const group = `pair-${Math.min(pair, pairs - 1)}`;
    cases.push({ input: { s: valid().join('') }, expected: true, group });
    cases.push({ input: { s: spoil(pair % 4).join('') }, expected: false, group });
  }
  return cases.slice(0, count);
}
