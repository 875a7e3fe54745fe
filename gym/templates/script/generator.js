/** Numbers in [0, 1) that depend on the seed alone. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

const things = ['water the plants', 'call - [ ] the office', 'read chapter 4', 'pay the bill', 'größere Schrauben kaufen'];

/** `input.files` lies in the work directory when the answer is started; the answer never sees `expected`. */
export function generate({ count, seed }) {
  const random = randomFrom(seed);
  const int = (low, high) => low + Math.floor(random() * (high - low + 1));
  return Array.from({ length: count }, () => {
    const marks = Array.from({ length: int(8, 40) }, () => (int(0, 2) === 0 ? '- [x]' : '- [ ]'));
    const lines = marks.map((mark) => `${mark} ${things[int(0, things.length - 1)]}`);
    lines.splice(int(0, lines.length), 0, `# Week ${int(1, 52)}`, '');
    return {
      input: { files: { 'notes.txt': `${lines.join('\n')}\n` } },
      expected: marks.filter((mark) => mark === '- [ ]').length,
    };
  });
}
