import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { SandboxError } from './types.js';

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
  /** Why there is no Python, and what to do. null where there is one. */
  readonly noPython: string | null;
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
  if (found?.key !== key) found = { key, interpreters: { ...findPython(), node: findNode(), bash: findBash() } };
  return found.interpreters;
}

/** @param who needs it: `Python answers` @throws SandboxError (`unavailable`) where there is no Python, with the reason and what to do */
export function pythonFor(who: string): Interpreter {
  const { python, noPython } = interpreters();
  if (python !== null) return python;
  throw new SandboxError(`${who} need Python 3.8 or newer, and ${noPython}`, { reason: 'unavailable' });
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

function findPython(): Pick<Interpreters, 'python' | 'noPython'> {
  const wanted = process.env.ANNEAL_PYTHON;
  if (wanted) {
    const python = tryPython(wanted);
    if (typeof python !== 'string') return { python, noPython: null };
    const remedy = 'set it to a Python 3.8 or newer, or unset it to use the python3 on the PATH';
    return { python: null, noPython: `ANNEAL_PYTHON is ${JSON.stringify(wanted)}, which ${python}; ${remedy}` };
  }
  const problems: string[] = [];
  for (const name of ['python3', '/usr/bin/python3']) {
    const file = findProgram(name);
    const python = file === null ? null : tryPython(file);
    if (typeof python === 'string') problems.push(`${file} ${python}`);
    else if (python !== null) return { python, noPython: null };
  }
  const problem = problems[0] ?? 'there is no python3 on the PATH';
  return { python: null, noPython: `${problem}; install it or set ANNEAL_PYTHON` };
}

/** The installation behind a name or path, or what is wrong with it: `is a folder`. */
function tryPython(name: string): Interpreter | string {
  const file = findProgram(name);
  if (file === null) return whyNoProgram(name);
  const { status, stdout } = ask(file, ['-I', '-c', describePython]);
  const [executable, prefix, version] = status === 0 ? stdout.trim().split('\n') : [];
  if (!executable || !prefix || !/^\d+\.\d+\.\d+$/.test(version ?? '')) return 'is not Python';
  const [major, minor] = version!.split('.').map(Number);
  if (major! < 3 || (major === 3 && minor! < 8)) return `is Python ${version}`;
  if (!isProgram(executable)) return `stands for ${executable}, which cannot be run`;
  const shared = sharedPrefix(prefix, executable);
  if (shared !== undefined) return { file: executable, version: version!, prefix: shared };
  return `is installed in ${prefix}, which answers may not see: the home directory or this one lies in it`;
}

function whyNoProgram(name: string): string {
  if (!name.includes('/')) return 'is no program on the PATH';
  if (!existsSync(name)) return 'does not exist';
  return statSync(name).isDirectory() ? 'is a folder' : 'cannot be run';
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
