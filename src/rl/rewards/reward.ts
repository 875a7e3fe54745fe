import type { Prompt } from '../../rollout/index.js';

/** The dataset's remaining columns by name, each with one value per completion. */
export type RewardColumns = Readonly<Record<string, readonly unknown[]>>;

export interface RewardContext {
  /** The sampled tokens of each completion, stop token included. */
  readonly completionIds: readonly Int32Array[];
  /** Aborted when the call runs out of time or the run is stopped. */
  readonly signal: AbortSignal;
}

/**
 * Judges completions. The arrays run in parallel, one entry per completion:
 * - `prompts[i]`: chat messages, or text where the prompt was given to the model as plain text;
 * - `completions[i]`: what the model wrote, always a string, without special tokens;
 * - `columns.<name>[i]`: the other columns of the dataset row.
 *
 * Returns one number per completion, null where this function has nothing to say, or an Error where it could not judge: that
 * completion gets no verdict, whatever the other rewards say.
 */
export type RewardFunction<Columns = RewardColumns> = (
  prompts: readonly Prompt[],
  completions: readonly string[],
  columns: Columns,
  context: RewardContext,
) => RewardValues | Promise<RewardValues>;

export type RewardValues = readonly (number | null | Error)[];

/** A loaded reward. */
export interface Reward {
  /** Unique in its run; names the metrics. */
  readonly name: string;
  /** As the config names it, for messages. */
  readonly source: string;
  readonly weight: number;
  /** A call that takes longer has failed; default no limit. */
  readonly timeoutMs?: number;
  readonly score: RewardFunction;
}

/** What is judged in one call: arrays in parallel, one entry per completion. */
export interface RewardBatch {
  readonly prompts: readonly Prompt[];
  readonly completions: readonly string[];
  readonly columns: RewardColumns;
  readonly completionIds: readonly Int32Array[];
}
