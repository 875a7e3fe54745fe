import { stat } from 'node:fs/promises';
import { setImmediate as nextTick } from 'node:timers/promises';
import { UserError } from '../config/index.js';
import type { RowOrigin } from './example.js';
import { findDataFiles, type Row, readJsonl } from './jsonl.js';

export interface RowProgress {
  readonly file: string;
  readonly rows: number;
  readonly bytesRead: number;
  /** Bytes of all files together. */
  readonly totalBytes: number;
}

export interface ReadOptions {
  /** Called every few milliseconds of work, and at the end. */
  readonly progress?: (progress: RowProgress) => void;
  readonly signal?: AbortSignal;
}

/** Work between two turns of the event loop. */
const sliceMs = 10;

/**
 * Hands over every row of the files at `paths`, in order. The event loop gets its turn every few milliseconds, so that other
 * work (an HTTP server, a progress bar, Ctrl-C) goes on.
 *
 * @throws UserError for a path without a row
 */
export async function forEachRow(
  paths: readonly string[],
  visit: (row: Row, origin: RowOrigin) => void,
  { progress, signal }: ReadOptions,
): Promise<void> {
  const files: { file: string; size: number; dataset: number }[] = [];
  for (const [dataset, path] of paths.entries()) {
    for (const file of await findDataFiles(path)) files.push({ file, size: (await stat(file)).size, dataset });
  }
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  const filled = new Set<number>();
  let [rows, before, sliceStart] = [0, 0, performance.now()];
  for (const { file, size, dataset } of files) {
    for await (const { row, line, bytesRead } of readJsonl(file)) {
      visit(row, { file, line, dataset });
      filled.add(dataset);
      rows++;
      if (performance.now() - sliceStart < sliceMs) continue;
      progress?.({ file, rows, bytesRead: before + bytesRead, totalBytes });
      await nextTick(undefined, signal ? { signal } : {});
      sliceStart = performance.now();
    }
    before += size;
    progress?.({ file, rows, bytesRead: before, totalBytes });
  }
  const empty = paths.find((_, dataset) => !filled.has(dataset));
  if (empty !== undefined)
    throw new UserError(`${empty} holds no rows. Name another path in \`datasets\`, or remove the entry.`);
}
