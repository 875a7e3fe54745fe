import { formatCount, formatDuration, formatNumber } from './format.js';

export interface ProgressOptions {
  /** What is being done: `train`, `evaluate`. */
  readonly label: string;
  /** Units of the whole task; null when it is not known. */
  readonly total: number | null;
  /** Name of a unit, in the plural: `steps`, `tokens`, `rows`. */
  readonly unit: string;
  /** Units already done before the start (a resumed run); they do not count for the rate. */
  readonly initial?: number;
}

export interface Progress {
  /** Units done so far, and what else to show (`loss 1.23`). */
  update(done: number, note?: string): void;
  /** Ends the bar and leaves its last state as a line. */
  stop(): void;
  state(): ProgressState;
}

export interface ProgressState extends ProgressOptions {
  readonly done: number;
  readonly note: string;
  readonly elapsedSeconds: number;
  /** Units a second over the last half minute; over the whole task once it has stopped; null before anything is done. */
  readonly rate: number | null;
  readonly finished: boolean;
}

const WINDOW_MS = 30_000;

/** The bookkeeping of one bar. `now` in milliseconds. */
export function createProgress(
  options: ProgressOptions,
  now: () => number,
  on: { changed(): void; stopped(): void },
): Progress {
  const initial = options.initial ?? 0;
  const started = now();
  let done = initial;
  let note = '';
  let ended: number | null = null;
  const samples: { time: number; done: number }[] = [{ time: started, done: initial }];

  const rate = (): number | null => {
    const first = ended === null ? samples[0]! : { time: started, done: initial };
    const last = { time: ended ?? samples.at(-1)!.time, done };
    const seconds = (last.time - first.time) / 1000;
    return seconds > 0 && last.done > first.done ? (last.done - first.done) / seconds : null;
  };
  return {
    update: (value, text) => {
      done = value;
      if (text !== undefined) note = text;
      samples.push({ time: now(), done });
      while (samples.length > 2 && samples[1]!.time < now() - WINDOW_MS) samples.shift();
      on.changed();
    },
    stop: () => {
      if (ended !== null) return;
      ended = now();
      on.stopped();
    },
    state: () => ({
      ...options,
      done,
      note,
      elapsedSeconds: ((ended ?? now()) - started) / 1000,
      rate: rate(),
      finished: ended !== null,
    }),
  };
}

const BAR_WIDTH = 24;

/** One line of text for a bar; at most `columns` characters, null = as long as it is and without the drawn bar. */
export function renderProgress(state: ProgressState, columns: number | null): string {
  const { label, total, unit, done, rate, note, elapsedSeconds, finished } = state;
  const count = total === null ? `${formatCount(done)} ${unit}` : `${formatCount(done)}/${formatCount(total)} ${unit}`;
  const parts = [label];
  if (columns !== null && total !== null) parts.push(drawBar(total > 0 ? done / total : 1));
  parts.push(count);
  if (rate !== null)
    parts.push(
      rate >= 1 ? `${formatNumber(Number(rate.toPrecision(3)))} ${unit}/s` : `${formatDuration(1 / rate)} each`,
    );
  if (finished) parts.push(`in ${formatDuration(elapsedSeconds)}`);
  else if (total !== null && rate !== null) parts.push(`ETA ${formatDuration((total - done) / rate)}`);
  else parts.push(formatDuration(elapsedSeconds));
  if (note !== '') parts.push(note);
  const line = parts.join('  ');
  return columns !== null && line.length > columns ? `${line.slice(0, Math.max(0, columns - 1))}…` : line;
}

function drawBar(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR_WIDTH);
  return '━'.repeat(filled) + '─'.repeat(BAR_WIDTH - filled);
}
