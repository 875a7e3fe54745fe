import type { Decision, RunConfig } from '../config/index.js';
import type { LocalEngine } from '../engine/index.js';
import type { Console, Metrics } from '../observe/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import type { TrainingProgress } from './trainer-state.js';

/** What a method reads its data with, before the model is loaded. */
export interface MethodInputs {
  readonly config: RunConfig;
  readonly tokenizer: Tokenizer;
  readonly console: Console;
  /** Show the data token by token. */
  readonly debug: boolean;
  readonly signal: AbortSignal;
}

/** A training method (SFT, GRPO) as a run drives it. */
export type Method = (inputs: MethodInputs) => Promise<PreparedMethod>;

export interface PreparedMethod {
  readonly name: string;
  readonly totalSteps: number;
  /** Lines of the plan: steps, tokens, what is trained. */
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly decisions: readonly Decision[];
  readonly warnings: readonly string[];
  /** Names of the metrics that the summary and the model card show, first and last. */
  readonly headline: readonly string[];
  /** Digest of what is trained on: a resumed run must have the same. */
  readonly dataDigest: string;
  /** Trains to the end, or until `run.stop` fires. */
  train(run: Run): Promise<Outcome>;
  /** Ends what was started for it beside the engine. */
  dispose(): Promise<void>;
}

/** An opened run, as a method's loop sees it. */
export interface Run {
  readonly config: RunConfig;
  readonly outputDir: string;
  readonly tokenizer: Tokenizer;
  readonly engine: LocalEngine;
  readonly console: Console;
  readonly metrics: Metrics;
  /** Where to go on; null at the start. The engine has loaded its state already. */
  readonly resumed: TrainingProgress | null;
  /** Asks to stop at the next safe point; the loop then returns where it stands, and the run saves a checkpoint. */
  readonly stop: AbortSignal;
  /** Opens a second engine with the weights that a new run begins with, to score with: the frozen reference. */
  openInitial(): Promise<LocalEngine>;
  /** Writes `checkpoint-N`. The engine must stand right behind an optimizer step. */
  saveCheckpoint(progress: TrainingProgress): Promise<void>;
}

export interface Outcome {
  readonly progress: TrainingProgress;
  /** false: `stop` fired before the end. */
  readonly finished: boolean;
}
