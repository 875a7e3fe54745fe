import type { Metrics } from './grpo-metrics.js';

/** Metrics gathered since the last logged line, as plain data that a checkpoint can hold. */
export type MetricWindow = Readonly<Record<string, { readonly value: number; readonly count: number }>>;

/** Taken from the last step: they say where the run stands. */
const latest = new Set(['num_tokens', 'learning_rate', 'epoch']);

/** Adds the metrics of a step. Names that end in `max` or `min` keep their extreme, counts of skipped sequences add up. */
export function addToWindow(window: MetricWindow, metrics: Metrics): MetricWindow {
  const merged: Record<string, { value: number; count: number }> = { ...window };
  for (const [name, value] of Object.entries(metrics)) {
    const before = window[name];
    merged[name] = before
      ? { value: combine(name, before.value, value), count: before.count + 1 }
      : { value, count: 1 };
  }
  return merged;
}

/** What the window amounts to: means over the steps in which a metric was there, or what its name asks for. */
export function windowMetrics(window: MetricWindow): Metrics {
  return Object.fromEntries(
    Object.entries(window).map(([name, { value, count }]) => [name, averaged(name) ? value / count : value]),
  );
}

function averaged(name: string): boolean {
  return !latest.has(name) && !summed(name) && !/[_/](max|min)$/.test(name);
}

function summed(name: string): boolean {
  return name.startsWith('skipped_') || name.endsWith('no_verdict');
}

function combine(name: string, before: number, value: number): number {
  if (latest.has(name)) return value;
  if (/[_/]max$/.test(name)) return Math.max(before, value);
  if (/[_/]min$/.test(name)) return Math.min(before, value);
  return before + value;
}
