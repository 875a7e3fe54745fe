import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { shorten } from '../text/index.js';
import { openEventWriter } from './tensorboard.js';

/** Version of the lines of metrics.jsonl. */
export const METRICS_SCHEMA = 1;

export type MetricValue = number | string | boolean | null;

/** One line of metrics.jsonl. Numbers that JSON cannot hold stand in the file as "NaN", "Infinity" and "-Infinity". */
export interface MetricsRecord {
  readonly schema: number;
  /** Optimizer steps done. */
  readonly step: number;
  /** ISO 8601. */
  readonly time: string;
  readonly [name: string]: MetricValue;
}

export interface Metrics {
  /** Appends one line. It is in the file when this returns. Names that begin with `eval_` are shown under `eval/` in TensorBoard, others under `train/`. */
  log(step: number, values: Readonly<Record<string, MetricValue>>): void;
  /** A Markdown text for TensorBoard (the config, sampled answers). */
  text(step: number, tag: string, text: string): void;
  close(): void;
}

export interface MetricsOptions {
  /** Write TensorBoard events to `directory/runs`. */
  readonly tensorboard: boolean;
  /** The run continues after this step: what was logged of later steps is taken out. Without it an older file is moved aside. */
  readonly resumeStep?: number;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** Opens `metrics.jsonl`, and TensorBoard events if wanted, in a run's output directory, which is created. */
export function openMetrics(directory: string, options: MetricsOptions): Metrics {
  const now = options.now ?? Date.now;
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'metrics.jsonl');
  if (options.resumeStep !== undefined) truncateAfter(path, options.resumeStep);
  else moveAside(directory, path);

  const descriptor = openSync(path, 'a');
  const events = options.tensorboard
    ? openEventWriter(join(directory, 'runs'), { firstStep: (options.resumeStep ?? -1) + 1, now })
    : null;
  return {
    log: (step, values) => {
      const line = { schema: METRICS_SCHEMA, step, time: new Date(now()).toISOString(), ...values };
      writeSync(descriptor, `${stringifyMetrics(line)}\n`);
      const scalars = Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
      events?.scalars(
        step,
        scalars.map(([name, value]) => [eventTag(name), value]),
      );
    },
    text: (step, tag, text) => events?.text(step, tag, text),
    close: () => {
      closeSync(descriptor);
      events?.close();
    },
  };
}

function eventTag(name: string): string {
  return name.startsWith('eval_') ? `eval/${name.slice('eval_'.length)}` : `train/${name}`;
}

function stringifyMetrics(line: Readonly<Record<string, MetricValue>>): string {
  return JSON.stringify(line, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
  );
}

const unwritable: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity };

/**
 * Reads metrics.jsonl. A last line that a crash cut short is left out, and `onTorn` gets its number.
 *
 * @throws Error with file and line on any other line that is no record
 */
export function readMetrics(path: string, onTorn: (line: number) => void = () => {}): MetricsRecord[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  const last = lines.findLastIndex((line) => line !== '');
  return lines.flatMap((line, index) => {
    if (line === '') return [];
    const record = parseRecord(line);
    if (record !== null) return [record];
    if (index !== last) {
      throw new Error(
        `${path}:${index + 1}: not a line of metrics: ${shorten(JSON.stringify(line), 80)}. Remove the line (training does not need it), or move the file away.`,
      );
    }
    onTorn(index + 1);
    return [];
  });
}

function parseRecord(line: string): MetricsRecord | null {
  try {
    const record = JSON.parse(line, (_, value: unknown) =>
      typeof value === 'string' && Object.hasOwn(unwritable, value) ? unwritable[value] : value,
    ) as MetricsRecord | null;
    return typeof record?.step === 'number' ? record : null;
  } catch {
    return null;
  }
}

function truncateAfter(path: string, step: number): void {
  if (!existsSync(path)) return;
  const kept = readMetrics(path).filter((record) => record.step <= step);
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, kept.map((record) => `${stringifyMetrics(record)}\n`).join(''));
  renameSync(temporary, path);
}

/** A run that starts anew in a used directory keeps the old metrics as `metrics-1.jsonl`, `metrics-2.jsonl`, … */
function moveAside(directory: string, path: string): void {
  if (!existsSync(path)) return;
  let number = 1;
  while (existsSync(join(directory, `metrics-${number}.jsonl`))) number++;
  renameSync(path, join(directory, `metrics-${number}.jsonl`));
}
