import { type PrmRow, type RowOf, type Steps, stepsOf } from './rows.js';
import type { Trace } from './trace.js';

/**
 * How a step's label follows.
 * - `threshold`: its reward is at least the threshold.
 * - `improvement`: with it the sum of the rewards rose above all that it had been, 0 included.
 * - `rollouts`: of the traces that begin with the same steps up to and including it, at least the share `threshold` passed
 *   (Math-Shepherd, arXiv 2312.08935).
 */
export type PrmLabels = 'threshold' | 'improvement' | 'rollouts';

/** The row of a trace whose labels follow from its own step rewards. */
export function prmRow(trace: Trace, labels: Exclude<PrmLabels, 'rollouts'>, threshold: number): RowOf<PrmRow> {
  if (trace.verdict.kind === 'noVerdict') return `no verdict: ${trace.verdict.cause}`;
  const steps = stepsOf(trace);
  if (typeof steps === 'string') return steps;
  const { prompt, completions, rewards } = steps;
  if (rewards.length !== completions.length) return 'not one reward for each step';
  if (labels === 'threshold') return { prompt, completions, labels: rewards.map((reward) => reward >= threshold) };
  let [sum, best] = [0, 0];
  return {
    prompt,
    completions,
    labels: rewards.map((reward) => {
      sum += reward;
      // Sums of differences of scores are off by rounding.
      const improved = sum > best + 1e-12;
      best = Math.max(best, sum);
      return improved;
    }),
  };
}

interface Node {
  traces: number;
  passed: number;
  readonly next: Map<string, Node>;
}

const emptyNode = (): Node => ({ traces: 0, passed: 0, next: new Map() });

/** Rows whose labels come from other traces with the same beginning; they can be made only when all traces are known. */
interface Rollouts {
  /** Why the trace cannot be used, or null. */
  add(trace: Trace): string | null;
  /** One row for each different sequence of steps. */
  rows(threshold: number): Generator<PrmRow>;
  /** Steps whose label rests on one trace only. */
  readonly single: number;
}

export function createRollouts(): Rollouts {
  // A root for each task: traces of another environment, of other cases or with another prompt share nothing.
  const roots = new Map<string, { readonly root: Node; readonly sequences: Map<string, Steps> }>();
  let single = 0;
  return {
    add(trace) {
      if (trace.verdict.kind === 'noVerdict') return `no verdict: ${trace.verdict.cause}`;
      const steps = stepsOf(trace);
      if (typeof steps === 'string') return steps;
      const task = JSON.stringify([
        trace.environment,
        trace.contentHash,
        trace.caseSetHash,
        trace.language,
        steps.prompt,
      ]);
      let known = roots.get(task);
      if (known === undefined) {
        known = { root: emptyNode(), sequences: new Map() };
        roots.set(task, known);
      }
      known.sequences.set(JSON.stringify(steps.keys), steps);
      let node = known.root;
      for (const key of steps.keys) {
        const next = node.next.get(key) ?? emptyNode();
        node.next.set(key, next);
        next.traces++;
        if (trace.verdict.passed) next.passed++;
        node = next;
      }
      return null;
    },
    *rows(threshold) {
      for (const { root, sequences } of roots.values()) {
        for (const { prompt, completions, keys } of sequences.values()) {
          let node = root;
          const labels = keys.map((key) => {
            node = node.next.get(key)!;
            if (node.traces === 1) single++;
            return node.passed / node.traces >= threshold;
          });
          yield { prompt, completions, labels };
        }
      }
    },
    get single() {
      return single;
    },
  };
}
