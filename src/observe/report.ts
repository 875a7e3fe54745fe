import { formatNumber, formatPairs } from './format.js';

/** A value that was decided rather than written down. */
export interface DecisionLine {
  readonly key: string;
  readonly value: unknown;
  readonly reason: string;
}

/** What a run is about to do. */
export interface RunPlan {
  readonly title: string;
  /** Steps, tokens, parameters, memory, …: label and text. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly decisions: readonly DecisionLine[];
  readonly warnings?: readonly string[];
}

export function formatPlan(plan: RunPlan): string {
  const parts = [plan.title, formatPairs(plan.facts)];
  if (plan.decisions.length > 0) {
    parts.push(
      'Decided automatically',
      formatPairs(plan.decisions.map(({ key, value, reason }) => [key, `${showValue(value)}  (${reason})`])),
    );
  }
  for (const warning of plan.warnings ?? []) parts.push(`! ${warning}`);
  return parts.join('\n');
}

/** What a run has done. */
export interface RunSummary {
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** Measured before and after, or at the first and the last logged step. */
  readonly metrics: readonly MetricChange[];
  /** What lies where: label and path. */
  readonly outputs: readonly (readonly [label: string, path: string])[];
}

export interface MetricChange {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

export function formatSummary(summary: RunSummary): string {
  const parts = [summary.title, formatPairs(summary.facts)];
  if (summary.metrics.length > 0) {
    parts.push(
      formatPairs(
        summary.metrics.map(({ name, first, last }) => [name, `${formatNumber(first)} → ${formatNumber(last)}`]),
      ),
    );
  }
  if (summary.outputs.length > 0) parts.push('Written', formatPairs(summary.outputs));
  return parts.filter((part) => part !== '').join('\n');
}

/** First and last value of each named metric over the lines of metrics.jsonl; names without a number are left out. */
export function metricChanges(
  records: readonly Readonly<Record<string, unknown>>[],
  names: readonly string[],
): MetricChange[] {
  return names.flatMap((name) => {
    const values = records.map((record) => record[name]).filter((value) => typeof value === 'number');
    return values.length === 0 ? [] : [{ name, first: values[0]!, last: values.at(-1)! }];
  });
}

function showValue(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}
