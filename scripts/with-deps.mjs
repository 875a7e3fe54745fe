// Installs the dependencies when they are missing or older than the lock file, builds, then runs one of the project's commands.
// It imports nothing outside Node: it is what a fresh clone runs first.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [task, ...args] = process.argv.slice(2);

const commands = {
  quickstart: ['node', ['bin/anneal.mjs', 'quickstart', ...args]],
  test: ['node', ['node_modules/vitest/vitest.mjs', 'run', ...args]],
  bench: ['node', ['--import', 'tsx', 'bench/main.ts', ...args]],
};

function run(command, argv) {
  const result = spawnSync(command, argv, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}


const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(`anneal needs Node 20 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
const command = commands[task];
if (!command) {
  console.error(`usage: node scripts/with-deps.mjs ${Object.keys(commands).join(' | ')}`);
  process.exit(1);
}

const stamp = join(root, 'node_modules', '.anneal-lock');
const lock = readFileSync(join(root, 'package-lock.json'));
if (!existsSync(stamp) || !readFileSync(stamp).equals(lock)) {
  console.log('Installing dependencies (npm ci) …');
  run('npm', ['ci', '--no-fund', '--no-audit', '--loglevel', 'error']);
  writeFileSync(stamp, lock);
}
run('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']);
run(...command);
