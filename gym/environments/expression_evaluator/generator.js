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

const limit = 2n ** 53n - 1n;
const precedence = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, sign: 3, '^': 4, number: 5 };

/** Pairs of an expression and a broken one, with single expressions in between. */
export function generate({ count, seed, parameters }) {
  const { next, int, pick } = randomFrom(seed);
  const space = () => (int(0, 3) ? '' : ' ');

  /** A random expression as {kind, value, left, right}; null where its value cannot be had. */
  const build = (size) => {
    if (size <= 1) {
      const value = BigInt(pick([int(0, 9), int(0, 99), int(0, 9999)]));
      return { kind: 'number', value };
    }
    if (int(0, 6) === 0) {
      const right = build(size - 1);
      return right && { kind: 'sign', value: -right.value, right };
    }
    const kind = pick(['+', '-', '-', '*', '*', '/', '/', '%', '^']);
    const share = Math.max(1, Math.min(size - 1, Math.round(size * next())));
    const left = build(share);
    const right = kind === '^' ? { kind: 'number', value: BigInt(int(0, 4)) } : build(size - share);
    if (!left || !right) return null;
    const [a, b] = [left.value, right.value];
    if ((kind === '/' || kind === '%') && b === 0n) return null;
    const value = { '+': () => a + b, '-': () => a - b, '*': () => a * b, '/': () => a / b, '%': () => a % b, '^': () => a ** b }[kind]();
    return value > limit || value < -limit ? null : { kind, value, left, right };
  };

  const show = ({ kind, value, left, right }) => {
    if (kind === 'number') return `${int(0, 9) ? '' : '0'}${value}`;
    const own = precedence[kind];
    // a sign may stand on the right of any operator without parentheses, but would swallow what follows on the left of a power
    const side = (node, least) => {
      const text = show(node);
      return precedence[node.kind] < least || int(0, 7) === 0 ? `(${space()}${text}${space()})` : text;
    };
    if (kind === 'sign') return `-${space()}${side(right, own)}`;
    const [leftLeast, rightLeast] = kind === '^' ? [own + 1, own] : [own, own + 1];
    return `${side(left, leftLeast)}${space()}${kind}${space()}${side(right, rightLeast)}`;
  };

  const valid = (least, most) => {
    for (;;) {
      const tree = build(int(least, most));
      if (tree) return { text: show(tree), value: Number(tree.value) };
    }
  };
  const long = () => {
    // a sum of small products: no value grows
    const parts = Array.from({ length: parameters.terms }, () => valid(1, 5)).filter(({ value }) => Math.abs(value) < 1e9);
    const first = parts.map(({ text }) => `(${text})`);
    let [text, value] = [first[0], parts[0].value];
    for (let at = 1; at < parts.length; at += 1) {
      const minus = int(0, 1) === 1;
      text += `${space()}${minus ? '-' : '+'}${space()}${first[at]}`;
      value += minus ? -parts[at].value : parts[at].value;
    }
    return { text, value };
  };
  const broken = (how) => {
    const { text } = valid(4, 9);
    const at = pick([...text].flatMap((c, i) => (/[-+*/%^]/.test(c) ? [i + 1] : [])));
    if (how === 0) return `${text} ${pick(['+', '*', '/', '%', '^', '-'])}`;
    if (how === 1) return `${text.slice(0, at)}${pick(['*', '/', '+', '^'])}${text.slice(at)}`;
    if (how === 2) return pick([`(${text}`, `${text})`, `)${text}(`]);
    if (how === 3) return `${text}${pick([' 7', '(7)', '.5', 'x', ' e2', ',1', '()'])}`;
    if (how === 4) return `${text} ${pick(['/', '%'])} (${text.length}-${pick(['', '0*3-'])}${text.length})`;
    return `${int(2, 9)}^(${text}-(${text})-1)`;
  };

  const cases = [];
  for (let index = 0; cases.length < count; index += 1) {
    if (parameters.terms) {
      const { text, value } = long();
      cases.push({ input: { expression: text }, expected: value });
      continue;
    }
    const { text, value } = valid(3, 14);
    const paired = index % 2 === 1 && cases.length + 1 < count;
    const group = paired ? { group: `pair-${index}` } : {};
    cases.push({ input: { expression: text }, expected: value, ...group });
    if (paired) cases.push({ input: { expression: broken((index >> 1) % 6) }, ...group });
  }
  return cases;
}
