import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';

/** A program that runs answers, and the host directory that it needs. */
export interface Interpreter {
  /** Absolute path, the same inside a sandbox and outside. */
  readonly file: string;
  readonly version: string;
  /** Its installation. null where that is below /usr, which every sandbox sees. */
  readonly prefix: string | null;
}

export interface Interpreters {
  readonly python: Interpreter | null;
  readonly node: Interpreter;
  readonly bash: Interpreter | null;
}

let found: { readonly key: string; readonly interpreters: Interpreters } | undefined;

/**
 * Python is ANNEAL_PYTHON or the `python3` of the PATH, seen through the shims of version managers and virtual environments to the
 * installation behind them; Node is the one that runs this. Asked once for each value of these variables.
 */
export function interpreters(): Interpreters {
  const key = `${process.env.ANNEAL_PYTHON}\n${process.env.PATH}`;
  if (found?.key !== key) found = { key, interpreters: { python: findPython(), node: findNode(), bash: findBash() } };
  return found.interpreters;
}

/** The absolute path of a program on the PATH. */
export function findProgram(name: string, path: string = process.env.PATH ?? ''): string | null {
  const candidates = name.includes('/')
    ? [name]
    : path.split(delimiter).map((directory) => join(directory || '.', name));
  return candidates.find(isProgram) ?? null;
}

/** @throws where the machine is out of something, which says nothing about the program */
function ask(file: string, args: readonly string[], options: { readonly env?: NodeJS.ProcessEnv } = {}) {
  const asked = spawnSync(file, args, { encoding: 'utf8', timeout: 20_000, ...options });
  const { code } = (asked.error ?? {}) as NodeJS.ErrnoException;
  if (code !== undefined && ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'].includes(code)) throw asked.error;
  // Of a program that could not be started.
  return { status: asked.status, stdout: asked.stdout ?? '' };
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

const describePython = [
  'import sys, os',
  'print(os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable))',
  'print(sys.base_prefix)',
  'print("%d.%d.%d" % sys.version_info[:3])',
].join('\n');

function findPython(): Interpreter | null {
  for (const name of process.env.ANNEAL_PYTHON ? [process.env.ANNEAL_PYTHON] : ['python3', '/usr/bin/python3']) {
    const file = findProgram(name);
    if (file === null) continue;
    const asked = ask(file, ['-I', '-c', describePython]);
    const [executable, prefix, version] = asked.status === 0 ? asked.stdout.trim().split('\n') : [];
    if (executable && prefix && version && isProgram(executable)) {
      const shared = sharedPrefix(prefix, executable);
      if (shared !== undefined) return { file: executable, version, prefix: shared };
    }
  }
  return null;
}

function findNode(): Interpreter {
  const file = realpathSync(process.execPath);
  const directory = dirname(file);
  const prefix = basename(directory) === 'bin' ? dirname(directory) : directory;
  const shared = sharedPrefix(prefix, file);
  return { file, version: process.versions.node, prefix: shared === undefined ? file : shared };
}

function findBash(): Interpreter | null {
  const file = ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path));
  if (file === undefined) return null;
  const asked = ask(file, ['-c', 'echo $BASH_VERSION'], { env: {} });
  return { file, version: asked.stdout.trim(), prefix: null };
}

/** What to bind for an installation; undefined where that would show someone's files as well. */
function sharedPrefix(prefix: string, executable: string): string | null | undefined {
  const real = realpathSync(prefix);
  if (isInside(executable, '/nix/store')) return '/nix/store';
  if (isInside(real, '/usr')) return null;
  if (real === '/' || !isInside(executable, real)) return undefined;
  return isInside(homedir(), real) || isInside(process.cwd(), real) ? undefined : real;
}

export function isInside(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
