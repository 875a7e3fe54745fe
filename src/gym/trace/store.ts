import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { appendFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GymError } from '../gym-error.js';
import { type ExportOptions, type ExportReport, exportRows } from './export.js';
import type { ReadTracesOptions, TraceFilter } from './read-options.js';
import type { RowKind } from './row-columns.js';
import { parseTrace, type Trace } from './trace.js';

/** Runs and episodes in a folder of JSON Lines files. */
export interface TraceStore {
  readonly directory: string;
  /**
   * Resolves once the line is written. Calls may overlap. Each store writes a file of its own, so several processes may share a folder.
   * @throws GymError when the folder cannot be written
   */
  append(trace: Trace): Promise<void>;
  /** In the order of the files' names, which is that of time. Lines that hold no trace are skipped. @throws GymError when there is no such folder */
  read(options?: ReadTracesOptions): AsyncIterable<Trace>;
  /** Writes training rows to a `.jsonl` or `.parquet` file. @throws GymError */
  exportRows(kind: RowKind, file: string, options?: ExportOptions): Promise<ExportReport>;
}

export function openTraceStore(directory: string): TraceStore {
  let file: Promise<string> | null = null;
  let last: Promise<void> = Promise.resolve();
  let separator = '';

  const append = async (line: string): Promise<void> => {
    try {
      file ??= newFile(directory);
      await appendFile(await file, `${separator}${line}\n`);
      separator = '';
    } catch (error) {
      // What was written of the line, if anything, must not swallow the next one.
      separator = '\n';
      throw new GymError(`${directory}: the trace could not be written: ${(error as Error).message}`, { cause: error });
    }
  };

  const store: TraceStore = {
    directory,
    append(trace) {
      const line = JSON.stringify(trace);
      const written = last.then(() => append(line));
      last = written.catch(() => undefined);
      return written;
    },
    read: (options = {}) => readTraces(directory, options),
    exportRows: (kind, target, options) => exportRows(store.read, kind, target, options),
  };
  return Object.freeze(store);
}

async function newFile(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const time = new Date().toISOString().replaceAll(/[-:]/g, '').replace('.', '-');
  return join(directory, `${time}-${randomUUID().slice(0, 8)}.jsonl`);
}

async function* readTraces(directory: string, options: ReadTracesOptions): AsyncGenerator<Trace> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: Error) => {
    throw new GymError(`${directory}: no folder with traces can be read there: ${error.message}`, { cause: error });
  });
  const names = entries.flatMap((entry) => (entry.isDirectory() || !entry.name.endsWith('.jsonl') ? [] : [entry.name]));
  for (const name of names.sort()) {
    const file = join(directory, name);
    for await (const { text, line, ended } of readLines(file)) {
      options.signal?.throwIfAborted();
      if (text.trim() === '') continue;
      const trace = traceOf(text);
      if (typeof trace === 'string') {
        const torn = !ended;
        options.onProblem?.({
          file,
          line,
          kind: torn ? 'torn' : 'damaged',
          message: torn ? 'the file ends in the middle of this line, as after a crash' : trace,
        });
      } else if (matches(trace, options)) yield trace;
    }
  }
}

function traceOf(text: string): Trace | string {
  try {
    return parseTrace(JSON.parse(text));
  } catch (error) {
    return `not JSON: ${(error as Error).message}`;
  }
}

function matches(trace: Trace, { environment, variant, model, kind }: TraceFilter): boolean {
  return (
    (environment === undefined || trace.environment === environment) &&
    (variant === undefined || trace.variant === variant) &&
    (model === undefined || trace.model === model) &&
    (kind === undefined || trace.kind === kind)
  );
}

/** Lines end at \n only: node:readline also splits at U+2028, which JSON strings may hold. */
async function* readLines(file: string): AsyncGenerator<{ text: string; line: number; ended: boolean }> {
  const decoder = new TextDecoder();
  let pending = '';
  let line = 0;
  for await (const chunk of createReadStream(file)) {
    const pieces = decoder.decode(chunk as Buffer, { stream: true }).split('\n');
    pieces[0] = pending + pieces[0]!;
    pending = pieces.pop()!;
    for (const text of pieces) yield { text, line: ++line, ended: true };
  }
  pending += decoder.decode();
  if (pending !== '') yield { text: pending, line: line + 1, ended: false };
}
