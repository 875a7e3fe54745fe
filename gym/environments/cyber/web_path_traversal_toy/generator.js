function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Each weak in one way; the requests that work look different for each.
const weak = [
  { guard: 'reject-dots', decode: 1, check: 'none' },
  { guard: 'reject-dots', decode: 2, check: 'none' },
  { guard: 'strip-dots', decode: 0, check: 'none' },
  { guard: 'strip-dots', decode: 1, check: 'none' },
];
const strong = [
  { guard: 'none', decode: 0, check: 'after' },
  { guard: 'none', decode: 1, check: 'after' },
  { guard: 'none', decode: 2, check: 'after' },
  { guard: 'reject-dots', decode: 0, check: 'none' },
  { guard: 'reject-dots', decode: 1, check: 'after' },
  { guard: 'strip-dots', decode: 1, check: 'after' },
];

export function generate({ count, seed }) {
  const random = mulberry32(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  const pick = (items) => items[int(0, items.length - 1)];
  const shuffled = (items) => {
    const left = [...items];
    return items.map(() => left.splice(int(0, left.length - 1), 1)[0]);
  };
  const hex = (length) => Array.from({ length }, () => int(0, 15).toString(16)).join('');
  return Array.from({ length: count }, () => {
    const words = shuffled(['static', 'images', 'manuals', 'download', 'themes', 'reports', 'fonts']).map((word) => `${word}-${hex(2)}`);
    const base = `/srv/${pick(['toy', 'demo', 'play'])}-${hex(3)}`;
    const rules = shuffled([{ ...pick(weak), weak: true }, ...shuffled(strong).slice(0, int(3, 4))]);
    const routes = rules.map((rule, i) => ({
      prefix: `/${words[i]}/`,
      root: [base, 'public', words[i], ...(random() < 0.5 ? [`v${int(1, 9)}`] : [])].join('/'),
      ...rule,
    }));
    const secret = `${base}/${pick(['private', 'etc', 'keys'])}/${pick(['token', 'ledger', 'plan'])}-${hex(4)}.txt`;
    const files = shuffled([
      secret,
      ...routes.map(({ root }) => `${root}/${pick(['index.html', 'a.css', 'logo.svg', 'guide.txt'])}`),
      `${base}/private-notes/readme.txt`,
      `${base}/public/robots.txt`,
    ]);
    return {
      input: {
        routes: routes
          .map(({ prefix, root, guard, decode, check }) => `${prefix}  root: ${root}  guard: ${guard}  decode: ${decode}  check: ${check}`)
          .join('\n'),
        files: files.join('\n'),
        secret,
      },
      expected: { routes: routes.map(({ weak: _, ...route }) => route), weak: routes.find((route) => route.weak).prefix, secret, files },
    };
  });
}
