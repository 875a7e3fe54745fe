import { GymError } from '../gym-error.js';
import { checkRowFile, writeRowFile } from '../row-file.js';
import { createRollouts, type PrmLabels, prmRow } from './process-labels.js';
import type { ReadTracesOptions, TraceFilter, TraceProblem } from './read-options.js';
import { type RowKind, rowColumns } from './row-columns.js';
import { rlRow, sftRow } from './rows.js';
import type { Trace } from './trace.js';

export interface ExportOptions extends TraceFilter {
  /** How labels of `prm` rows follow. Default `threshold`. */
  readonly labels?: PrmLabels | undefined;
  /** The least reward, or with `rollouts` the least share of passed traces, of a step with label true. Default 0.5. */
  readonly threshold?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ExportReport {
  readonly kind: RowKind;
  readonly file: string;
  readonly traces: number;
  readonly rows: number;
  /** How many traces gave no row, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** With `rollouts`: traces whose steps another one has too, and steps whose label rests on one trace alone. */
  readonly repeated: number;
  readonly singleRollouts: number;
  /** Lines of the store that hold no trace. */
  readonly problems: readonly TraceProblem[];
}

/** Writes the rows of all traces that `read` gives. @throws GymError */
export async function exportRows(
  read: (options: ReadTracesOptions) => AsyncIterable<Trace>,
  kind: RowKind,
  file: string,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const { labels = 'threshold', threshold = 0.5, ...filter } = options;
  if (!Number.isFinite(threshold)) throw new GymError(`The threshold must be a number; it is ${threshold}.`);
  checkRowFile(file);
  const leftOut: Record<string, number> = {};
  const problems: TraceProblem[] = [];
  let [traces, rows, used] = [0, 0, 0];
  const rollouts = createRollouts();

  async function* made(): AsyncGenerator<object> {
    for await (const trace of read({ ...filter, onProblem: (problem) => problems.push(problem) })) {
      traces++;
      const row =
        kind === 'rl'
          ? rlRow(trace)
          : kind === 'sft'
            ? sftRow(trace)
            : labels === 'rollouts'
              ? rollouts.add(trace)
              : prmRow(trace, labels, threshold);
      if (typeof row === 'string') leftOut[row] = (leftOut[row] ?? 0) + 1;
      else if (row === null) used++;
      else {
        rows++;
        yield row;
      }
    }
    for (const row of rollouts.rows(threshold)) {
      rows++;
      yield row;
    }
  }

  await writeRowFile(file, rowColumns[kind], made());
  const repeated = used === 0 ? 0 : used - rows;
  return { kind, file, traces, rows, leftOut, repeated, singleRollouts: rollouts.single, problems };
}
