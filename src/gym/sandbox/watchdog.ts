import type { Limit } from './command.js';
import { descendants, proportionalBytes, residentBytes, unnamedFileBytes } from './process-tree.js';
import { type Usage, usageOf } from './work-files.js';

interface Watched {
  readonly memoryMb: number;
  readonly diskMb: number;
  /** Host directory that counts as disk. */
  readonly directory: string;
}

/** Commands that are over sooner are not looked at. Until then the limits of each process hold. */
const firstLookMs = 200;
const memoryEveryMs = 50;
const looksPerDiskLook = 2;

/** Files and directories that a work directory may hold: an empty file takes room as well. */
const maxEntries = 10_000;

/** Looks at the memory of all that is below a process, and at the disk it fills, and says when there is too much of it. */
export function watch(pid: number, watched: Watched, exceeded: (limit: Limit) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let looks = 0;
  const look = async () => {
    const pids = descendants(pid);
    if (usesMore(pids, watched.memoryMb * 2 ** 20)) exceeded('memory');
    if (looks++ % looksPerDiskLook === 0 && (await isOverDisk(watched, pids))) exceeded('disk');
    if (!stopped) timer = setTimeout(look, memoryEveryMs);
  };
  timer = setTimeout(look, firstLookMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function usesMore(pids: readonly number[], bytes: number): boolean {
  const sum = (measure: (pid: number) => number) => pids.reduce((total, pid) => total + measure(pid), 0);
  return sum(residentBytes) > bytes && sum(proportionalBytes) > bytes;
}

/** Whether the work directory holds more than it may; with files that have lost their names but are still open in `pids`. */
export async function isOverDisk({ directory, diskMb }: Watched, pids: readonly number[] = []): Promise<boolean> {
  const most: Usage = { bytes: diskMb * 2 ** 20, entries: maxEntries };
  const used = await usageOf(directory, most);
  if (used.bytes > most.bytes || used.entries > most.entries) return true;
  return pids.length > 0 && used.bytes + unnamedFileBytes(pids, used.device) > most.bytes;
}
