import { defineLoss, type Loss } from '../engine/index.js';
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
