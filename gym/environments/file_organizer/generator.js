function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const stems = ['main', 'parser', 'my notes', 'über', 'データ', 'router', 'index', 'plan b', 'x-y', 'latest', 'contest', 'a.b'];
const sources = ['.py', '.js', '.ts', '.sh', '.c', '.go', '.PY', '.Js'];
const texts = ['.md', '.txt', '.rst', '.TXT'];
const others = ['.png', '.csv', '', '.mdx', '.json', '.pyc'];

function placeOf(name) {
  if (name.startsWith('.') || name === 'README.md') return null;
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return null;
  const [stem, extension] = [name.slice(0, dot), name.slice(dot).toLowerCase()];
  if (['.md', '.txt', '.rst'].includes(extension)) return 'docs';
  if (!['.py', '.js', '.ts', '.sh', '.c', '.go'].includes(extension)) return null;
  return name.startsWith('test_') || /(_test|\.test|\.spec)$/.test(stem) ? 'tests' : 'src';
}

export function generate({ count, seed }) {
  const random = mulberry32(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  const pick = (items) => items[int(0, items.length - 1)];
  const hex = (length) => Array.from({ length }, () => int(0, 15).toString(16)).join('');
  return Array.from({ length: count }, () => {
    const project = `${pick(['atlas', 'Blue Heron', 'kompaß', 'site-2'])} ${hex(4)}`.replace(' ', pick(['-', ' ', '_']));
    const names = new Set();
    for (const [wanted, name] of [
      [int(2, 5), () => pick(stems) + pick(sources)],
      [int(1, 2), () => `test_${pick(stems)}${pick(sources)}`],
      [int(1, 2), () => pick(stems) + pick(['_test', '.test', '.spec']) + pick(sources)],
      [int(1, 4), () => pick(stems) + pick(texts)],
      [int(1, 3), () => pick(stems) + pick(others)],
      [int(1, 2), () => `.${pick(['env', 'hidden.py', 'notes.txt', 'eslintrc.js'])}`],
    ]) {
      for (let i = 0; i < wanted; i++) names.add(name());
    }
    const before = {};
    for (const name of names) before[name] = `${name}\n${hex(24)}\n`;
    if (random() < 0.5) before['README.md'] = `# Read me ${hex(6)}\n`;
    if (random() < 0.6) before[`${pick(['lib', 'docs', 'src'])}/keep ${hex(2)}.md`] = `kept ${hex(12)}\n`;
    // Someone was there before: the place of one file is taken.
    const movable = [...names].filter((name) => placeOf(name) !== null);
    if (random() < 0.7) {
      const taken = pick(movable);
      before[`${placeOf(taken)}/${taken}`] = `the older one ${hex(12)}\n`;
    }

    const after = {};
    let moved = 0;
    for (const [name, text] of Object.entries(before)) {
      const place = name.includes('/') ? null : placeOf(name);
      const target = place === null ? name : `${place}/${name}`;
      const moves = target !== name && !(target in before);
      after[moves ? target : name] = text;
      if (moves) moved++;
    }
    after['README.md'] ??= `# ${project}\n`;
    const files = Object.fromEntries(Object.entries(before).map(([name, text]) => [`${project}/${name}`, text]));
    return {
      input: { files, env: { PROJECT_DIR: `{{work}}/${project}` } },
      expected: { project, after, moved },
    };
  });
}
