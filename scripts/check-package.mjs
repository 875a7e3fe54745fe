// Checks the package as npm would publish it: everything that `exports`, `types` and `bin` name is in it, and every entry
// can be imported. Build first.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
const { name, exports, types, bin } = JSON.parse(readFileSync('package.json', 'utf8'));

const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--loglevel', 'error'], {
  encoding: 'utf8',
  shell: process.platform === 'win32',
});
const packed = new Set(JSON.parse(output)[0].files.map(({ path }) => normalize(path)));

const targets = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)));
// Worker threads are started by their path, which no import names.
const started = ['dist/cli/main.js', 'dist/engine/local/worker.js', 'dist/engine/local/adamw-worker.js'];
const wanted = [...targets, types, ...Object.values(bin), ...started, 'README.md', 'LICENSE'];
const missing = wanted.filter((path) => !packed.has(normalize(path)));
if (missing.length > 0) {
  console.error(`The package lacks ${missing.join(', ')}; it holds ${packed.size} files.`);
  process.exit(1);
}

const entries = Object.keys(exports).filter((key) => !key.endsWith('.json'));
for (const key of entries) await import(name + key.slice(1));
console.log(`package: ${packed.size} files; imported ${entries.map((key) => name + key.slice(1)).join(', ')}`);
