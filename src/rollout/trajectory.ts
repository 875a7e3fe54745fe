import type { SampleResult } from '../engine/types.js';
import type { Prompt } from './prompt.js';

/** A run of tokens with one origin. Only assistant spans were sampled, and only they carry log-probabilities. */
export interface TrajectorySpan {
  readonly kind: 'prompt' | 'assistant' | 'tool' | 'user';
  readonly tokens: Int32Array;
  /** log-probability of each token under the sampling policy itself (temperature 1, nothing cut off). */
  readonly logprobs?: Float32Array;
  /** The same under the distribution it was drawn from. */
  readonly samplingLogprobs?: Float32Array;
  /** Version of the weights that sampled the span. */
  readonly policyVersion?: number;
}

export interface RolloutTimings {
  /** Milliseconds from the start of the sampling call to this answer's last token. */
  readonly sampleMs: number;
}

/** What the policy did with a prompt, before anyone judged it. */
export interface Rollout {
  readonly id: string;
  readonly step: number;
  /** Index of the prompt in its batch; the rollouts of a group answer the same prompt. */
  readonly group: number;
  /** Index inside the group. */
  readonly generation: number;
  readonly promptId: string;
  readonly prompt: Prompt;
  readonly promptText: string;
  readonly seed: number;
  readonly spans: readonly TrajectorySpan[];
  /** What the policy wrote, without the stop token and other special tokens. */
  readonly text: string;
  readonly finishReason: SampleResult['finishReason'];
  readonly timings: RolloutTimings;
}

/** The judgement of a rollout. Without a verdict there is no reward: it is left out and counted, never a 0. */
export type Verdict =
  | { readonly kind: 'scored'; readonly reward: number }
  | { readonly kind: 'noVerdict'; readonly cause: string };

export interface Trajectory extends Rollout {
  readonly verdict: Verdict;
  /** What each reward function gave, by name; null where it gave nothing. */
  readonly rewards: Readonly<Record<string, number | null>>;
  /** null without a verdict. */
  readonly advantage: number | null;
}

/** Number of sampled tokens, stop token included. */
export function completionLength(rollout: Rollout): number {
  return countTokens(rollout, (kind) => kind === 'assistant');
}

/** Number of tokens the policy was given: prompt, tool results, user turns. */
export function contextLength(rollout: Rollout): number {
  return countTokens(rollout, (kind) => kind !== 'assistant');
}

/** Cut off by the token limit. */
export function isTruncated(rollout: Rollout): boolean {
  return rollout.finishReason === 'length';
}

/** The sampled tokens of all assistant spans, in order. */
export function completionTokens(rollout: Rollout): Int32Array {
  const tokens = new Int32Array(completionLength(rollout));
  let at = 0;
  for (const span of rollout.spans) {
    if (span.kind !== 'assistant') continue;
    tokens.set(span.tokens, at);
    at += span.tokens.length;
  }
  return tokens;
}

function countTokens(rollout: Rollout, counts: (kind: TrajectorySpan['kind']) => boolean): number {
  return rollout.spans.reduce((sum, span) => sum + (counts(span.kind) ? span.tokens.length : 0), 0);
}
