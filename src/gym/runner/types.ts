import type { SandboxCapabilities } from '../sandbox/types.js';
import type { Value } from '../value.js';

/** Languages whose functions can be called. */
export type ProgramLanguage = 'python' | 'javascript';

/** A function of a source text and the calls to make, in order, in one process of their own. */
export interface CallJob {
  readonly language: ProgramLanguage;
  /** The text of a module. TypeScript has been turned into JavaScript before. */
  readonly source: string;
  readonly functionName: string;
  /** Positional arguments of each call. Each call gets fresh copies. */
  readonly calls: readonly (readonly Value[])[];
  readonly limits: JobLimits;
  /**
   * Whether the source comes from an environment (a checker, generator or reference) rather than from a model. Trusted jobs with
   * the same source may share one process from job to job; an answer never shares its process with anything.
   */
  readonly trusted?: boolean;
}

export interface JobLimits {
  /** Wall-clock seconds of one call. A call that takes longer is killed; the calls after it are made in a new process. */
  readonly caseSeconds: number;
  /** Of everything, loading included. Calls that are left then end as `timeout`. */
  readonly totalSeconds: number;
  readonly memoryMb: number;
  readonly processes: number;
  /** stdout and stderr that are kept; the rest is read and dropped. */
  readonly outputKb: number;
}

export type CallOutcome =
  | { readonly kind: 'value'; readonly value: Value; readonly ms: number }
  /** It raised, or returned what no Value can say. `type` is the exception's class: `ValueError`. */
  | { readonly kind: 'error'; readonly type: string; readonly message: string; readonly ms: number }
  | { readonly kind: 'timeout'; readonly ms: number }
  /** The process ended during the call: `exit code 3`, `killed by SIGSEGV`, `memory limit`, `wrote rubbish to the channel`. */
  | { readonly kind: 'crash'; readonly message: string; readonly ms: number };

export interface JobResult {
  /**
   * - `ran`: the module loaded; one outcome per call.
   * - `load-failed`: importing raised, hung or exited; `calls` is empty.
   * - `no-function`: the module loaded but has no such function; `calls` is empty.
   */
  readonly kind: 'ran' | 'load-failed' | 'no-function';
  readonly calls: readonly CallOutcome[];
  /** What went wrong in loading: `SyntaxError: invalid syntax (line 3)`. null when it ran. */
  readonly problem: string | null;
  /** Whether the total time ran out. */
  readonly outOfTime: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** Calls functions of source texts in processes of their own, several at a time. */
export interface Runner {
  /**
   * Whatever the program does ends in a result.
   * @throws SandboxError when the sandbox failed; the caller retries or gives no verdict
   */
  run(job: CallJob, signal?: AbortSignal): Promise<JobResult>;
  capabilities(): Promise<SandboxCapabilities>;
  /** How many jobs run at a time. */
  readonly workers: number;
  dispose(): Promise<void>;
}
