import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { GymError } from '../gym-error.js';

/** All files of an environment's folder, read once. */
export interface Folder {
  /** As it is shown in messages: relative to the working directory where that is shorter. */
  readonly shown: string;
  readonly directory: string;
  /** Paths relative to the folder with `/` between their parts, sorted. */
  readonly paths: readonly string[];
  /** @throws GymError when it is no UTF-8 */
  text(path: string): string;
  has(path: string): boolean;
  /** sha256 over paths and contents. */
  readonly hash: string;
}

const maxFiles = 2000;
const maxFileBytes = 5_000_000;
const maxBytes = 50_000_000;
/** Left behind by tools; no part of an environment. */
const ignored = new Set(['.git', '.DS_Store', '__pycache__', 'node_modules']);

/** @throws GymError for a link, a file that is too large, one that cannot be read */
export function readFolder(directory: string): Folder {
  const shown = shownPath(directory);
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  const read = (path: string) => {
    const file = join(directory, path);
    const { size } = statSync(file);
    if (size > maxFileBytes)
      throw new GymError(`${shown}/${path}: ${megabytes(size)}; a file may have ${megabytes(maxFileBytes)}`);
    bytes += size;
    if (bytes > maxBytes) throw new GymError(`${shown}: more than ${megabytes(maxBytes)} of files`);
    if (contents.size === maxFiles) throw new GymError(`${shown}: more than ${maxFiles} files`);
    contents.set(path, readFileSync(file));
  };
  const walk = (below: string) => {
    for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
      if (ignored.has(entry.name)) continue;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) read(path);
      else
        throw new GymError(
          `${shown}/${path}: ${entry.isSymbolicLink() ? 'a link' : 'no plain file'}; an environment holds files and folders only`,
        );
    }
  };
  try {
    walk('');
  } catch (error) {
    if (error instanceof GymError) throw error;
    throw new GymError(`${shown}: cannot be read: ${(error as Error).message}`, { cause: error });
  }

  const paths = [...contents.keys()].sort((a, b) => (a < b ? -1 : 1));
  const hash = createHash('sha256');
  for (const path of paths) {
    const content = contents.get(path)!;
    hash.update(`${Buffer.byteLength(path)} ${path} ${content.length}\n`).update(content);
  }
  return {
    shown,
    directory,
    paths,
    hash: hash.digest('hex'),
    has: (path) => contents.has(path),
    text: (path) => decode(contents.get(path)!, `${shown}/${path}`),
  };
}

/** A path as short as it can be told: relative to the working directory for what lies below it. */
export function shownPath(path: string): string {
  const below = relative(process.cwd(), path);
  return below === '' || below.startsWith('..') ? path : below.split(sep).join('/');
}

function decode(content: Buffer, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw new GymError(`${where}: not valid UTF-8; save it as UTF-8 text`);
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 100_000) / 10} MB`;
}
