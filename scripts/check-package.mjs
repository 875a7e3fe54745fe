// Checks the package as npm would publish it: everything that `exports`, `types` and `bin` name is in it, with all that lies in
// gym/; every entry can be imported, and the gym judges an answer. Build first.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
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
// Environments, drivers and the file for trainers in Python are read by their path.
const assets = readdirSync('gym', { recursive: true })
  .map((path) => join('gym', path))
  .filter((path) => statSync(path).isFile() && !/__pycache__|\.DS_Store/.test(path));
const wanted = [...targets, types, ...Object.values(bin), ...started, ...assets, 'README.md', 'LICENSE'];
const missing = wanted.filter((path) => !packed.has(normalize(path)));
if (missing.length > 0) {
  console.error(`The package lacks ${missing.join(', ')}; it holds ${packed.size} files.`);
  process.exit(1);
}

const entries = Object.keys(exports).filter((key) => !key.endsWith('.json'));
for (const key of entries) await import(name + key.slice(1));

const { loadEnvironment, openGym } = await import(`${name}/gym`);
const gym = await openGym({ sandbox: 'none', workers: 1 });
try {
  // Its generator, reference and checker are in JavaScript, so that Node alone is enough.
  const environment = await loadEnvironment('cyber/web_path_traversal_toy');
  const answer = await gym.reference(environment, environment.references[0]);
  const verdict = await gym.run(environment, answer);
  if (verdict.score !== 1) {
    console.error(`The gym does not judge: ${JSON.stringify(verdict)}`);
    process.exitCode = 1;
  }
} finally {
  await gym.dispose();
}
console.log(`package: ${packed.size} files; imported ${entries.map((key) => name + key.slice(1)).join(', ')}`);
