import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tokenizer } from '../tokenizer/index.js';

/** At the first step no update can be the cause. */
export const firstStepHint =
  'As nothing has been updated yet, look at the weights of the model for values that are not finite, and at the batch.';

export interface BadSequence {
  /** `file:line`. */
  readonly origin: string;
  readonly tokens: Int32Array;
  /** 1 where a token carries loss. */
  readonly trained: Uint8Array;
  /** Log-probability of each token given those before it, where known. */
  readonly logprobs?: Float32Array;
}

/** Writes the sequences that broke a step to `bad-batch.json`, to look at. Numbers that are not finite stand as texts. */
export function writeBadBatch(
  outputDir: string,
  step: number,
  reason: string,
  tokenizer: Tokenizer,
  sequences: readonly BadSequence[],
): string {
  const path = join(outputDir, 'bad-batch.json');
  const content = {
    schema: 1,
    step,
    reason,
    sequences: sequences.map(({ origin, tokens, trained, logprobs }) => ({
      origin,
      text: tokenizer.decode(tokens),
      tokens: [...tokens],
      trained: [...trained],
      ...(logprobs && { logprobs: Array.from(logprobs, (value) => (Number.isFinite(value) ? value : String(value))) }),
    })),
  };
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
  return path;
}
