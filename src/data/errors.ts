import { shorten } from '../text/index.js';
import type { RowOrigin } from './example.js';

/**
 * A row that gives no example. `reason` is the same for all rows with that fault, which are counted under it;
 * `detail` says what this row held.
 */
export class RowError extends Error {
  override readonly name = 'RowError';
  readonly reason: string;
  readonly detail: string;

  constructor(reason: string, detail = '') {
    super(detail === '' ? reason : `${reason}: ${detail}`);
    this.reason = reason;
    this.detail = detail;
  }
}

/** `file:line`, as editors and terminals link it. */
export function formatOrigin(origin: RowOrigin): string {
  return `${origin.file}:${origin.line}`;
}

/** A value as it can stand in a message: on one line, cut to `limit` characters. */
export function snippet(value: unknown, limit = 80): string {
  const text = (typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)))
    .replace(/\s+/g, ' ')
    .trim();
  return shorten(text, limit);
}
