import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../config/index.js';

interface Owner {
  readonly pid: number;
  readonly host: string;
}

const fileName = '.lock';

/**
 * Keeps an output directory for this process until the returned function is called. Refuses while another living process
 * of this machine has it; what a killed one left behind is taken over.
 */
export async function lockDirectory(directory: string): Promise<() => Promise<void>> {
  const path = join(directory, fileName);
  const mine: Owner = { pid: process.pid, host: hostname() };
  for (;;) {
    try {
      await writeFile(path, JSON.stringify(mine), { flag: 'wx' });
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = await ownerOf(path);
    if (owner && owner.host === mine.host && owner.pid !== mine.pid && isAlive(owner.pid)) {
      throw new UserError(
        `output_dir ${directory} is in use by another run (process ${owner.pid}). Wait for it, stop it, or choose another ` +
          'output_dir (--output-dir NAME).',
      );
    }
    await rm(path, { force: true });
  }
}

async function ownerOf(path: string): Promise<Owner | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Owner;
  } catch {
    return null;
  }
}

/** Signal 0 only asks; EPERM means that it is there and belongs to somebody else. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
