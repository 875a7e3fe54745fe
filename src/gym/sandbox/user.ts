import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** As root one must become someone; an ordinary user is unprivileged already, and known by this number inside. */
export const ordinaryUser = 1000;

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * A user id that nobody owns, another for every sandbox: the limit of processes counts all of a user's. From the upper half of the
 * ids that exist here (inside a container there may be few).
 */
export function unownedUser(): number {
  const { first, count } = lastRange(readFileSync('/proc/self/uid_map', 'utf8'));
  const span = Math.min(2 ** 30, Math.floor(count / 2));
  return Math.min(first + count, 2 ** 31) - 1 - randomInt(Math.max(1, span));
}

function lastRange(map: string): { first: number; count: number } {
  const ranges = map
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([first = 0, , count = 1]) => ({ first, count }));
  return ranges.reduce((largest, range) => (range.count > largest.count ? range : largest));
}
