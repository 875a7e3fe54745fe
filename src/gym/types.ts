import type { CaseSet, Environment, Language, SourceFile } from './environment/types.js';
import type { Episode } from './episode/types.js';
import type { Runner } from './runner/types.js';
import type { SandboxCapabilities, SandboxName, SandboxProvider } from './sandbox/types.js';
import type { Verdict } from './verdict.js';

export interface GymOptions {
  /** Default `local`. */
  readonly sandbox?: SandboxName | SandboxProvider | undefined;
  /** Answers judged at a time. Default: the number of cores. */
  readonly workers?: number | undefined;
  /** Attempts after a failure of the sandbox or the verifier. Default 2. */
  readonly retries?: number | undefined;
}

export interface RunOptions {
  /** `eval`, or with another seed for its generator `train@7`. Default: the environment's default variant. */
  readonly variant?: string | undefined;
  /** Default: the environment's first language. */
  readonly language?: Language | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Judges answers. One per process is enough; it holds the warm processes. */
export interface Gym {
  capabilities(): Promise<SandboxCapabilities>;
  /** The cases that answers are judged on, with what is expected. */
  cases(environment: Environment, options?: Pick<RunOptions, 'variant' | 'signal'>): Promise<CaseSet>;
  /** Never throws for what an answer does; `noVerdict` for what the sandbox or the environment does. @throws GymError for an answer that is no text */
  run(environment: Environment, answer: string, options?: RunOptions): Promise<Verdict>;
  /** Verdicts in the order of the answers, one each. Equal answers are judged once. */
  runBatch(environment: Environment, answers: readonly string[], options?: RunOptions): Promise<readonly Verdict[]>;
  /** The prompt: the task as a model gets it. @throws GymError for an unknown variant or language; SandboxError, VerifierError where its cases cannot be made */
  task(environment: Environment, options?: RunOptions): Promise<string>;
  /** The answer that a reference is: its text, or of a document environment what it writes for the variant. @throws as `task` */
  reference(
    environment: Environment,
    reference: SourceFile,
    options?: Pick<RunOptions, 'variant' | 'signal'>,
  ): Promise<string>;
  openEpisode(environment: Environment, options?: RunOptions): Promise<Episode>;
  dispose(): Promise<void>;
}

/** What the rooms inside the gym share to judge an answer. */
export interface GymContext {
  readonly runner: Runner;
  readonly sandboxes: SandboxProvider;
  readonly retries: number;
}
