import { spawn } from 'node:child_process';
import { constants, lstatSync } from 'node:fs';
import { chmod, type FileHandle, lchown, lstat, mkdir, open, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { GymError } from '../gym-error.js';

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/** The parts of a relative path that stays where it starts. */
function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (path.startsWith('/') || path.includes('\0') || parts.length === 0 || parts.includes('..')) {
    throw new GymError(`${JSON.stringify(path)} is not a path inside the work directory`);
  }
  return parts;
}

/**
 * A name in an open directory. On Linux it is found through the descriptor, so that nobody can put a link in the way between a check
 * and the use of the path.
 */
function at(directory: FileHandle, path: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${directory.fd}/${name}` : join(path, name);
}

const openDirectory = (path: string) => open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);

/** Opens the directory that holds the last of `parts`, no part of it a link, and lets `use` work in it. */
async function inParent<T>(
  directory: string,
  parts: readonly string[],
  enter: (path: string) => Promise<FileHandle>,
  use: (path: string) => Promise<T>,
): Promise<T> {
  let handle = await openDirectory(directory);
  let path = directory;
  try {
    for (const name of parts.slice(0, -1)) {
      const next = await enter(at(handle, path, name));
      await handle.close();
      handle = next;
      path = join(path, name);
    }
    return await use(at(handle, path, parts.at(-1)!));
  } finally {
    await handle.close();
  }
}

/**
 * The bytes of a regular file below a directory, at most `maxBytes`. null where there is none: no such file, a directory, a link, a
 * pipe, a path that goes through a link, a larger file.
 *
 * @throws GymError where the path leaves the directory
 */
export async function readWorkFile(directory: string, path: string, maxBytes: number): Promise<Uint8Array | null> {
  const parts = partsOf(path);
  try {
    return await inParent(directory, parts, openDirectory, async (file) => {
      // a pipe without a writer must not be waited for
      const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        const stat = await handle.stat();
        if (!stat.isFile() || stat.size > maxBytes) return null;
        return await readAll(handle, stat.size);
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    if (commandsDoing.includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** What can stand in the way of a path because a command has put it there. */
const commandsDoing = [
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'EACCES',
  'EPERM',
  'EISDIR',
  'ENXIO',
  'ENAMETOOLONG',
  'EEXIST',
  'EMLINK',
];

async function readAll(handle: FileHandle, size: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

export interface WriteOptions {
  /** Permissions. Default 0644. */
  readonly mode?: number | undefined;
  /** Owner of what is made. */
  readonly owner?: number | undefined;
}

/**
 * Writes a file below a directory, making the directories that it needs. What is there under its name is replaced.
 *
 * @throws GymError where the path leaves the directory or goes through a link
 */
export async function writeWorkFile(
  directory: string,
  path: string,
  content: Uint8Array | string,
  { mode = 0o644, owner }: WriteOptions = {},
): Promise<void> {
  const parts = partsOf(path);
  const make = async (name: string) => {
    try {
      await mkdir(name, { mode: 0o755 });
      if (owner !== undefined) await lchown(name, owner, owner);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    return openDirectory(name);
  };
  try {
    await inParent(directory, parts, make, async (name) => {
      const there = await lstat(name).catch(() => null);
      if (there?.isSymbolicLink()) throw new GymError(`${JSON.stringify(path)} is a link in the work directory`);
      if (there !== null) await unlink(name);
      const handle = await open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      try {
        await handle.writeFile(content);
        await handle.chmod(mode);
        if (owner !== undefined) await handle.chown(owner, owner);
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!commandsDoing.includes(code ?? '')) throw error;
    throw new GymError(`${JSON.stringify(path)} cannot be written in the work directory (${code})`);
  }
}

export interface Usage {
  readonly bytes: number;
  readonly entries: number;
}

const entriesPerTurn = 512;

/** What a directory holds, counted until it is more than `most`. Hard links count once. */
export async function usageOf(directory: string, most: Usage): Promise<Usage & { readonly device: number }> {
  const seen = new Set<number>();
  let bytes = 0;
  let entries = 0;
  let device = 0;
  const pending = [directory];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    // a call to the system is quicker than a turn of the event loop, but there may be many
    if (++entries % entriesPerTurn === 0) await setImmediate();
    try {
      const stat = lstatSync(path);
      if (path === directory) device = stat.dev;
      if (!seen.has(stat.ino)) {
        seen.add(stat.ino);
        bytes += stat.blocks * 512;
      }
      if (stat.isDirectory()) for (const name of await readdir(path)) pending.push(join(path, name));
    } catch (error) {
      // deeper than a path can say: nobody can look into it
      if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') entries = most.entries + 1;
    }
    if (bytes > most.bytes || entries + pending.length > most.entries) break;
  }
  entries += pending.length;
  return { bytes, entries, device };
}

/** Removes a directory whatever is in it: unreadable directories, and trees deeper than a path can say. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    // the tools walk by descriptors, and do not follow links
    await tool('chmod', ['-R', 'u+rwX', path]);
    await tool('rm', ['-rf', path]);
  }
}

function tool(file: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: 'ignore' });
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
}

/** Makes a work directory usable again after a command has taken its permissions away. */
export async function repairPermissions(directory: string): Promise<void> {
  await chmod(directory, 0o755);
}
