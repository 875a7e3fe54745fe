// Writes docs/features.md from a test run: what the tests of each room state, and what was skipped.
//   npm run features
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [report] = process.argv.slice(2);
if (report === undefined) {
  console.error('usage: node scripts/feature-table.mjs REPORT (what `vitest run --reporter=json` has written)');
  process.exit(1);
}
const { testResults } = JSON.parse(readFileSync(report, 'utf8'));

/** Titles listed of one subject; a test with many cases would fill pages. */
const shown = 8;

/** Room → subject (the describe blocks, or the file) → tests. */
const rooms = new Map();
for (const { name, assertionResults } of testResults) {
  const [, room, ...rest] = relative(root, name).split(sep);
  if (!rooms.has(room)) rooms.set(room, new Map());
  const subjects = rooms.get(room);
  for (const { ancestorTitles, title, status } of assertionResults) {
    const file = rest.join('/').replace(/\.test\.ts$/, '');
    const subject = [file, ...ancestorTitles].join(' › ');
    if (!subjects.has(subject)) subjects.set(subject, []);
    subjects.get(subject).push({ title, status });
  }
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ').replaceAll('<', '&lt;');
const count = (tests, status) => tests.filter((test) => test.status === status).length;
const skippedOf = (tests) => tests.length - count(tests, 'passed') - count(tests, 'failed');

function titles(tests) {
  const distinct = [...new Set(tests.map(({ title }) => title))];
  const more = distinct.length > shown ? [`and ${distinct.length - shown} more`] : [];
  return [...distinct.slice(0, shown), ...more].map(cell).join('; ');
}

const all = testResults.flatMap(({ assertionResults }) => assertionResults);
if (count(all, 'failed') > 0) {
  console.error(`${count(all, 'failed')} tests have failed; docs/features.md is written from a run in which all pass.`);
  process.exit(1);
}
const sections = [...rooms].sort().map(([room, subjects]) => {
  const rows = [...subjects]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([subject, tests]) => {
      const skipped = skippedOf(tests);
      const number = skipped === 0 ? `${tests.length}` : `${tests.length - skipped}, ${skipped} skipped`;
      return `| ${cell(subject)} | ${titles(tests)} | ${number} |`;
    });
  return `## ${room}\n\n| subject | what the tests state | passed |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
});
const head = `# What works

Generated from a test run by \`npm run features\`: a row says what tests state and have shown. Nothing else is claimed.
${count(all, 'passed')} tests passed, ${skippedOf(all)} were skipped (they say why when they run: no WebGPU adapter, no large checkpoint at hand).
`;
writeFileSync(join(root, 'docs', 'features.md'), `${[head, ...sections].join('\n')}`);
