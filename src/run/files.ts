import { createHash } from 'node:crypto';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { writeTextAtomically } from '../files/index.js';

/** Text files by name relative to a directory, such as a tokenizer's. */
export type TextFiles = ReadonlyMap<string, string>;

/**
 * Makes a directory and those above it. Level by level, as Node's own `recursive` never returns where a parent answers
 * ENOENT to a new entry, as /proc does.
 */
export async function makeDirectory(path: string): Promise<void> {
  const missing: string[] = [];
  for (let at = resolve(path); !(await exists(at)); at = dirname(at)) missing.unshift(at);
  for (const directory of missing) {
    try {
      await mkdir(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Writes each file so that none is ever there in part. */
export async function writeTextFiles(directory: string, files: TextFiles): Promise<void> {
  for (const [name, text] of files) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeTextAtomically(path, text);
  }
}

/** Forces everything below a directory, and the directory itself, to the disk. */
export async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else await syncPath(path);
  }
  await syncPath(directory);
}

export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } catch (error) {
    // Some file systems refuse to sync a directory; its entry is then as safe as they make it.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'EINVAL' && code !== 'EPERM') throw error;
  } finally {
    await file.close();
  }
}

/** SHA-256 over texts and bytes, each preceded by its length, in hexadecimal. */
export function digest(parts: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex');
}
