// Installs the dependencies when they are missing or not those of the lock file, builds, then runs one of the project's
// commands (`build` does no more). It imports nothing outside Node: it is what a fresh clone runs first.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [task, ...args] = process.argv.slice(2);

const commands = {
  build: { node: '20.0', argv: null },
  quickstart: { node: '20.0', argv: ['bin/anneal.mjs', 'quickstart', ...args] },
  test: { node: '20.19', argv: ['node_modules/vitest/vitest.mjs', 'run', ...args] },
  bench: { node: '20.0', argv: ['--import', 'tsx', 'bench/main.ts', ...args] },
};

let child = null;
// Ctrl-C reaches the command as well, which may have something to save: its end is waited for.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child?.kill('SIGTERM'));

/** Resolves to the exit code. */
function run(command, argv, options = {}) {
  return new Promise((resolve, reject) => {
    child = spawn(command, argv, { cwd: root, stdio: 'inherit', ...options });
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

function stop(code, ...lines) {
  for (const line of lines) console.error(line);
  process.exit(code);
}

function olderThan(version) {
  const [major, minor] = version.split('.').map(Number);
  const [haveMajor, haveMinor] = process.versions.node.split('.').map(Number);
  return haveMajor < major || (haveMajor === major && haveMinor < minor);
}

/** Why the dependencies have to be installed, or null: npm notes in node_modules what it has put there. */
function whyInstall() {
  const packagesOf = (file) => JSON.parse(readFileSync(join(root, file), 'utf8')).packages;
  let installed;
  try {
    installed = packagesOf('node_modules/.package-lock.json');
  } catch {
    return 'there are none yet';
  }
  const outdated = Object.entries(packagesOf('package-lock.json')).filter(
    ([path, { version, optional }]) => path !== '' && !optional && installed[path]?.version !== version,
  );
  return outdated.length === 0 ? null : `${outdated.length} differ from package-lock.json`;
}

const command = commands[task];
if (!command) stop(1, `usage: node scripts/with-deps.mjs ${Object.keys(commands).join(' | ')} [arguments]`);
if (olderThan(command.node)) {
  stop(
    1,
    `npm run ${task} needs Node ${command.node} or newer; this is Node ${process.versions.node} (${process.execPath}).`,
  );
}

const reason = whyInstall();
if (reason !== null) {
  console.log(`Installing dependencies with npm ci: ${reason}. About half a gigabyte in node_modules …`);
  // On Windows npm is a script, which only a shell starts; these arguments need no quoting.
  const shell = process.platform === 'win32';
  const code = await run('npm', ['ci', '--no-fund', '--no-audit', '--loglevel', 'error'], { shell });
  if (code !== 0) {
    stop(
      code,
      '',
      `npm ci has failed (exit code ${code}); its own message is above. Nothing was built or run.`,
      'It needs the npm registry, or a mirror of it: npm config get registry shows which, npm config set registry URL changes it.',
      'Behind a proxy: npm config set proxy URL and npm config set https-proxy URL. Then give the same command again.',
    );
  }
}
const built =
  (await run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'])) ||
  (await run(process.execPath, ['scripts/prune-build.mjs', 'src', 'dist']));
if (built !== 0) stop(built, '', 'The build has failed; the lines above say where.');
process.exit(command.argv === null ? 0 : await run(process.execPath, command.argv));
