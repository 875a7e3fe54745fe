import type { Trace } from './trace.js';

/** A line that gave no trace. */
export interface TraceProblem {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** `torn`: the last line of a file, cut off by a crash. `damaged`: any other that is not a trace of a version known here. */
  readonly kind: 'torn' | 'damaged';
  readonly message: string;
}

export interface TraceFilter {
  readonly environment?: string | undefined;
  readonly variant?: string | undefined;
  readonly model?: string | undefined;
  readonly kind?: Trace['kind'] | undefined;
}

export interface ReadTracesOptions extends TraceFilter {
  /** Called for each line that was skipped. */
  readonly onProblem?: (problem: TraceProblem) => void;
  readonly signal?: AbortSignal | undefined;
}
