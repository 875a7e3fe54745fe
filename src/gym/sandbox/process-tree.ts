import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** The processes that a process has started, as far as they live. */
export function children(pid: number): number[] {
  const found: number[] = [];
  for (const thread of entries(`/proc/${pid}/task`)) {
    const text = read(`/proc/${pid}/task/${thread}/children`);
    for (const child of text?.split(' ') ?? []) if (child !== '') found.push(Number(child));
  }
  return found;
}

/** Ends a process, or with a negative id a process group; nothing where it has ended. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // nothing is left of it
  }
}

/**
 * Ends a sandbox by the first process inside: the kernel then ends all others, and the process that was started ends after them.
 * Before there is one, there is only the process that was started.
 */
export function killInside(pid: number): void {
  const first = children(pid);
  if (first.length === 0) kill(-pid);
  for (const inside of first) kill(inside);
}

/** All below a process. What has lost its parent is under the first process of its namespace, and so still below. */
export function descendants(pid: number): number[] {
  const found: number[] = [];
  for (let pending = children(pid); pending.length > 0; pending = pending.flatMap(children)) {
    found.push(...pending);
    // a fork bomb grows faster than it can be counted
    if (found.length > 5000) break;
  }
  return found;
}

const pageSize = 4096;

/** Resident memory in bytes, with what is shared counted by everyone who shares it. */
export function residentBytes(pid: number): number {
  return Number(read(`/proc/${pid}/statm`)?.split(' ')[1] ?? 0) * pageSize;
}

/** Resident memory in bytes, with what is shared divided among those who share it. Slower. */
export function proportionalBytes(pid: number): number {
  const found = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '');
  return found ? Number(found[1]) * 1024 : residentBytes(pid);
}

/** Bytes of files without a name on a device that processes keep open. */
export function unnamedFileBytes(pids: readonly number[], device: number): number {
  const seen = new Set<number>();
  let bytes = 0;
  for (const pid of pids) {
    for (const fd of entries(`/proc/${pid}/fd`)) {
      const path = `/proc/${pid}/fd/${fd}`;
      if (!link(path)?.endsWith(' (deleted)')) continue;
      try {
        const { dev, ino, nlink, blocks } = statSync(path);
        if (dev !== device || nlink > 0 || seen.has(ino)) continue;
        seen.add(ino);
        bytes += blocks * 512;
      } catch {
        // closed meanwhile
      }
    }
  }
  return bytes;
}

function entries(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function link(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
