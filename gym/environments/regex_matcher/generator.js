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
  return { next, int, pick };
}

/** Pairs of a text that a random pattern matches and one that it nearly matches; one pair in five is explosive. */
export function generate({ count, seed, parameters }) {
  const { next, int, pick } = randomFrom(seed);
  const letters = [...'abcd01'];

  const build = (size) => {
    if (size <= 1) {
      const kind = pick(['literal', 'literal', 'literal', 'any', 'class', 'not']);
      const set = kind === 'literal' ? [pick(letters)] : Array.from({ length: int(1, 3) }, () => pick(letters));
      return { kind, set: [...new Set(set)].sort() };
    }
    if (int(0, 2) === 0) return { kind: pick(['*', '+', '?']), parts: [build(size - 1)] };
    const share = Math.max(1, Math.min(size - 1, Math.round(size * next())));
    return { kind: int(0, 2) ? 'row' : 'either', parts: [build(share), int(0, 9) ? build(size - share) : { kind: 'row', parts: [] }] };
  };
  const showSet = ([...set]) => {
    const text = set.join('');
    return text.includes('abc') ? text.replace('abc', 'a-c') : text.replace('bcd', 'b-d');
  };
  const show = ({ kind, set, parts }, inside = 'either') => {
    if (kind === 'literal') return set[0];
    if (kind === 'any') return '.';
    if (kind === 'class') return `[${showSet(set)}]`;
    if (kind === 'not') return `[^${showSet(set)}]`;
    if (kind === 'row' || kind === 'either') {
      const text = parts.map((part) => show(part, kind)).join(kind === 'row' ? '' : '|');
      return inside === 'sign' || (kind === 'either' && inside === 'row') ? `(${text})` : text;
    }
    const text = show(parts[0], 'sign') + kind;
    return inside === 'sign' ? `(${text})` : text;
  };
  /** Where a match that begins at one of the starts can end. */
  const ends = (node, text, starts) => {
    const { kind, set, parts } = node;
    if (set) {
      const fits = { literal: (c) => c === set[0], any: () => true, class: (c) => set.includes(c), not: (c) => !set.includes(c) }[kind];
      return new Set([...starts].filter((at) => at < text.length && fits(text[at])).map((at) => at + 1));
    }
    if (kind === 'row') return parts.reduce((reached, part) => ends(part, text, reached), starts);
    if (kind === 'either') return new Set(parts.flatMap((part) => [...ends(part, text, starts)]));
    if (kind === '?') return new Set([...starts, ...ends(parts[0], text, starts)]);
    const reached = new Set(kind === '*' ? starts : []);
    let fresh = starts;
    while (fresh.size > 0) {
      fresh = new Set([...ends(parts[0], text, fresh)].filter((at) => !reached.has(at)));
      for (const at of fresh) reached.add(at);
    }
    return reached;
  };
  const matches = (node, text) => ends(node, text, new Set([0])).has(text.length);
  const sample = ({ kind, set, parts }) => {
    if (kind === 'not') return pick([...letters, 'z'].filter((c) => !set.includes(c)));
    if (kind === 'any') return pick(letters);
    if (set) return pick(set);
    if (kind === 'row') return parts.map(sample).join('');
    if (kind === 'either') return sample(pick(parts));
    const times = kind === '?' ? int(0, 1) : int(kind === '+' ? 1 : 0, 3);
    return Array.from({ length: times }, () => sample(parts[0])).join('');
  };
  const spoil = (text) => {
    const at = int(0, text.length);
    const how = int(0, 3);
    if (how === 0) return text.slice(0, at) + pick(letters) + text.slice(at);
    if (how === 1) return text.slice(0, at) + text.slice(at + 1);
    if (how === 2) return text.slice(0, at) + pick(letters) + text.slice(at + 1);
    return text + pick(letters);
  };
  const ordinary = () => {
    for (;;) {
      const node = build(parameters.size ?? int(5, 12));
      const text = sample(node);
      if (text.length < 4 || text.length > 300) continue;
      for (let tries = 0; tries < 40; tries += 1) {
        const other = spoil(spoil(text));
        if (!matches(node, other)) return { pattern: show(node), text, other };
      }
    }
  };
  const explosive = () => {
    const [a, b] = [pick([...'efghijklmnop']), pick([...'qrstuvwxyz'])];
    const row = a.repeat(int(30, 70));
    const pattern = pick([`(${a}*)*${b}`, `(${a}|${a})*${b}`, `(${a}|${a}${a})+${b}`, `(${a}+${a}+)+${b}`, `(.*${a})*(${a}?.)*${b}`, `(${a}?)+(${a}*)+${b}?${b}`]);
    return { pattern, text: row + b, other: row + a };
  };

  const pairs = Math.max(1, count >> 1);
  const cases = [];
  for (let pair = 0; cases.length < count; pair += 1) {
    const group = `pair-${Math.min(pair, pairs - 1)}`;
    const { pattern, text, other } = pair % 5 === 3 ? explosive() : ordinary();
    cases.push({ input: { pattern, text }, expected: true, group }, { input: { pattern, text: other }, expected: false, group });
  }
  return cases.slice(0, count);
}
