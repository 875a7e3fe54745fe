import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seccompProgram } from './seccomp.js';
import { SandboxError } from './types.js';
import { ordinaryUser } from './user.js';

/** The directory of this process that holds what sandboxes need on the host, and their work directories. */
interface SupportFiles {
  readonly directory: string;
  /** Directory with the little of /etc that programs want to see. */
  readonly etc: string;
  readonly emptyDirectory: string;
  /** null where there is no filter for this machine. */
  readonly seccomp: string | null;
}

let made: SupportFiles | undefined;

/** Made at the first call, removed when the process ends; what a killed process left is removed by the next one. */
export function supportFiles(): SupportFiles {
  made ??= makeSupportFiles();
  return made;
}

export function passwd(user: number): string {
  return `root:x:0:0:root:/:/bin/false\nsandbox:x:${user}:${user}:sandbox:/work:/bin/bash\nnobody:x:65534:65534::/:/bin/false\n`;
}

const etcFiles = {
  passwd: passwd(ordinaryUser),
  group: `root:x:0:\nsandbox:x:${ordinaryUser}:\nnogroup:x:65534:\n`,
  hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
  'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files\n',
};

function makeSupportFiles(): SupportFiles {
  const owner = `${prefix}${pidNamespace()}-`;
  const directory = newDirectory(`${owner}${process.pid}-`);
  sweep(owner);
  process.once('exit', () => {
    try {
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // the next process sweeps it
    }
  });
  const etc = join(directory, 'etc');
  const emptyDirectory = join(directory, 'empty');
  mkdirSync(etc, { mode: 0o755 });
  mkdirSync(emptyDirectory, { mode: 0o755 });
  for (const [name, content] of Object.entries(etcFiles)) writeFileSync(join(etc, name), content, { mode: 0o644 });
  const program = seccompProgram();
  const seccomp = program === null ? null : join(directory, 'seccomp');
  if (program !== null && seccomp !== null) writeFileSync(seccomp, program);
  return Object.freeze({ directory, etc, emptyDirectory, seccomp });
}

const prefix = 'anneal-gym-';

const noDirectory = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'];

function newDirectory(name: string): string {
  try {
    return mkdtempSync(join(tmpdir(), name));
  } catch (error) {
    if (!noDirectory.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw new SandboxError(
      `the sandbox keeps its files in ${tmpdir()}, where none can be made (${(error as NodeJS.ErrnoException).code}): set TMPDIR to a folder that can be written`,
      { cause: error },
    );
  }
}

/** Process ids mean something within their namespace only; containers may share a directory for temporary files. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

/** Removes the directories of processes that are gone. */
function sweep(owner: string): void {
  for (const name of namesIn(tmpdir())) {
    const pid = name.startsWith(owner) ? Number(/^\d+/.exec(name.slice(owner.length))?.[0]) : Number.NaN;
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // another user's
    }
  }
}

/** None where the folder may be written but not listed. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
