import type { JobLimits, ProgramLanguage } from './types.js';

/** Load a source and make calls until they are done or the process has come to its end. */
export interface AttemptRequest {
  readonly language: ProgramLanguage;
  readonly source: string;
  readonly functionName: string;
  /** The arguments of each call, as JSON text. */
  readonly calls: readonly string[];
  readonly limits: JobLimits;
}

/** How an attempt ended: all calls done, a call or all of it out of time, or the process gone or ended. */
export const attemptEnds = ['done', 'time', 'total-time', 'ended', 'memory', 'flood'] as const;
type AttemptEnd = (typeof attemptEnds)[number];

export interface AttemptReport {
  /** What the answer wrote to its channel. Whatever stands there, the answer may have made up. */
  readonly lines: readonly string[];
  readonly end: AttemptEnd;
  /** With `ended`: `exit code 3`, `killed by SIGSEGV`. */
  readonly detail: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/** @throws SandboxError when not the answer but what is around it failed */
export type Attempt = (request: AttemptRequest, signal?: AbortSignal) => Promise<AttemptReport>;
