import { type Example, formatOrigin } from '../data/index.js';
import { type Batch, defineLoss, type Loss } from '../engine/index.js';
import { multiply, negate, sum } from '../graph/index.js';

/**
 * Supervised fine-tuning: Σ weight · (−log p(target)). Weights are 1 / (trained tokens of the optimizer step), so that the
 * loss and its gradient do not depend on how the step is cut into micro-batches.
 */
export const crossEntropy: Loss = defineLoss({
  name: 'cross_entropy',
  inputs: ['weights'],
  build: ({ logprobs, inputs }) => ({ loss: negate(sum(multiply(inputs.weights, logprobs))) }),
});

/** Tokens that carry loss. */
export function countTrained(examples: readonly Example[]): number {
  let count = 0;
  for (const { trained } of examples) for (const one of trained) count += one;
  return count;
}

/**
 * Examples as a batch for `crossEntropy`: position t of a sequence predicts token t + 1, so each is one shorter than its
 * example. Every example is a sequence of its own; what shares a batch never attends to each other.
 *
 * @param trainedTokens tokens that carry loss in the whole optimizer step
 * @throws Error naming the rows when none of their tokens carries loss: such a batch would teach nothing
 */
export function sftBatch(examples: readonly Example[], trainedTokens: number): Batch {
  if (countTrained(examples) === 0) {
    const rows = examples.map(({ origin }) => formatOrigin(origin)).join(', ');
    throw new Error(`No token of a batch carries loss. Its rows: ${rows}.`);
  }
  return {
    sequences: examples.map(({ tokens, trained }) => ({
      tokens: tokens.subarray(0, -1),
      targets: tokens.subarray(1),
      wanted: trained.subarray(1),
    })),
    inputs: {
      weights: examples.map(({ trained }) => Float32Array.from(trained.subarray(1), (one) => one / trainedTokens)),
    },
    scalars: {},
  };
}
