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

/** Tables with every kind of field, and broken copies that count together with the sound ones. */
export function generate({ count, seed, parameters }) {
  const { int, pick } = randomFrom(seed);
  const plain = [...'abcxyz0189 .;\'-_é漢'];
  const field = () => {
    const letters = (alphabet, most) => Array.from({ length: int(0, most) }, () => pick(alphabet)).join('');
    if (int(0, 2)) return letters(plain, 7);
    return letters([...plain, ',', ',', '"', '"', '\n', '\r\n', '\r'], 8);
  };
  const quote = (value) => `"${value.replaceAll('"', '""')}"`;
  const write = (value) => (/[",\r\n]/.test(value) || int(0, 4) === 0 ? quote(value) : value);
  const table = (records) => {
    const rows = Array.from({ length: records }, () => Array.from({ length: int(1, 5) }, field));
    const ends = pick([['\n'], ['\r\n'], ['\n', '\r\n']]);
    const lines = rows.map((row) => row.map(write).join(','));
    let text = lines.map((line, at) => line + (at + 1 < lines.length ? pick(ends) : '')).join('');
    // without a line break at the end a last line without a character would be no record
    if (lines[lines.length - 1] === '' || int(0, 1)) text += pick(ends);
    return { text, rows };
  };
  const broken = (how) => {
    const { text } = table(int(2, 4));
    const start = `${text}${text.endsWith('\n') ? '' : '\n'}`;
    const rest = `,${quote(field())}\n${quote(field())}`;
    if (how === 0) return `${start}ab${pick(['"', '""'])}c${rest}`;
    if (how === 1) return `${start}${quote(field())}${pick([' ', 'x', "'"])}${rest}`;
    if (how === 2) return `${start}"${pick(['', 'ab', ',', '\n', '""'])}`;
    return `${start}1, ${quote('b')}${rest}`;
  };
  const cases = [];
  for (let index = 0; cases.length < count; index += 1) {
    const { text, rows } = table(parameters.records ?? int(3, 6));
    const paired = index % 2 === 1 && cases.length + 1 < count;
    const group = paired ? { group: `pair-${index}` } : {};
    cases.push({ input: { text }, expected: rows, ...group });
    if (paired) cases.push({ input: { text: broken((index >> 1) % 4) }, ...group });
  }
  return cases;
}
