import type { Sequence } from '../engine/index.js';
import { completionLength, type Trajectory } from '../rollout/index.js';

/** A trajectory as the engine trains on it. */
export interface PolicySequence {
  readonly trajectory: Trajectory;
  /** The very tokens that were sampled; only those of assistant spans are wanted. */
  readonly sequence: Sequence;
  /** What the sampler reported, aligned with `sequence.targets`, 0 where not wanted. */
  readonly logprobs: Float32Array;
  readonly samplingLogprobs: Float32Array;
  /** Sampled tokens. */
  readonly length: number;
}

/** Lines the spans of a trajectory up as one training sequence: position t predicts token t + 1. */
export function policySequence(trajectory: Trajectory): PolicySequence {
  const total = trajectory.spans.reduce((sum, span) => sum + span.tokens.length, 0);
  const ids = new Int32Array(total);
  const wanted = new Uint8Array(total);
  const logprobs = new Float32Array(total);
  const samplingLogprobs = new Float32Array(total);
  let at = 0;
  for (const span of trajectory.spans) {
    ids.set(span.tokens, at);
    if (span.kind === 'assistant') {
      wanted.fill(1, at, at + span.tokens.length);
      if (span.logprobs) logprobs.set(span.logprobs, at);
      if (span.samplingLogprobs) samplingLogprobs.set(span.samplingLogprobs, at);
    }
    at += span.tokens.length;
  }
  return {
    trajectory,
    sequence: { tokens: ids.slice(0, -1), targets: ids.slice(1), wanted: wanted.slice(1) },
    logprobs: logprobs.slice(1),
    samplingLogprobs: samplingLogprobs.slice(1),
    length: completionLength(trajectory),
  };
}

/**
 * Cuts sequences into passes of at most `tokens` tokens, counted as the longest of a pass times their number. Sequences of
 * similar length come together; one that is longer than `tokens` gets a pass of its own.
 */
export function cutPasses<T extends { readonly sequence: Sequence }>(sequences: readonly T[], tokens: number): T[][] {
  const size = ({ sequence }: T) => sequence.tokens.length;
  const sorted = sequences
    .map((item, index) => ({ item, index }))
    .sort((a, b) => size(b.item) - size(a.item) || a.index - b.index)
    .map(({ item }) => item);
  const passes: T[][] = [];
  for (const item of sorted) {
    const pass = passes.at(-1);
    if (pass && size(pass[0]!) * (pass.length + 1) <= tokens) pass.push(item);
    else passes.push([item]);
  }
  return passes;
}
