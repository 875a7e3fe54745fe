import { defineLoss, type Loss } from '../engine/index.js';
import {
  add,
  clamp,
  divide,
  exp,
  fill,
  minimum,
  multiply,
  negate,
  stopGradient,
  subtract,
  sum,
  type Tensor,
} from '../graph/index.js';

export interface GrpoLossOptions {
  /** The log-probabilities being trained are themselves those of the policy that sampled: every ratio is 1. */
  readonly onPolicy: boolean;
  /** With a KL term to the reference policy. */
  readonly reference: boolean;
  /** One ratio a token, or one a sequence: the exponential of its mean log-ratio (GSPO, arXiv 2507.18071). */
  readonly importanceSamplingLevel: 'token' | 'sequence';
}

/**
 * The loss of group-relative policy optimisation (Shao et al. 2024, arXiv 2402.03300, eq. 3), with a clip range of its own
 * above (DAPO, arXiv 2503.14476) and the k3 estimator of the KL divergence (Schulman 2020):
 *
 *   Σ weight · (−min(ρA, clip(ρ, 1 − epsilonLow, 1 + epsilonHigh) A) + beta · (e^d − d − 1)),  d = ref − log p
 *
 * Columns: `weights` (`grpoWeights`), `advantages`, off policy `oldLogprobs`, with a reference `refLogprobs`. Scalars: off policy
 * `epsilonLow` and `epsilonHigh`, with a reference `beta`. Metric: `entropy`, summed over the positions.
 */
export function grpoLoss({ onPolicy, reference, importanceSamplingLevel }: GrpoLossOptions): Loss {
  return defineLoss({
    name: 'grpo',
    inputs: [
      'weights',
      'advantages',
      ...(onPolicy ? [] : (['oldLogprobs'] as const)),
      ...(reference ? (['refLogprobs'] as const) : []),
    ],
    scalars: [...(onPolicy ? [] : (['epsilonLow', 'epsilonHigh'] as const)), ...(reference ? (['beta'] as const) : [])],
    needsEntropy: true,
    build: ({ logprobs, entropy, inputs, scalars, sequenceSum }) => {
      const { advantages } = inputs;
      const old = onPolicy ? stopGradient(logprobs) : inputs.oldLogprobs;
      const perToken = subtract(logprobs, old);
      const one = fill(1, logprobs.shape);
      const logRatio = importanceSamplingLevel === 'token' ? perToken : divide(sequenceSum(perToken), sequenceSum(one));
      let surrogate: Tensor;
      if (onPolicy) {
        // The log-ratio is 0, where e^x and 1 + x have the same value and slope; the gradient is then known beforehand.
        surrogate = multiply(add(1, logRatio), advantages);
      } else {
        const ratio = exp(logRatio);
        const clipped = clamp(ratio, subtract(1, scalars.epsilonLow), add(1, scalars.epsilonHigh));
        surrogate = minimum(multiply(ratio, advantages), multiply(clipped, advantages));
      }
      let tokenLoss = negate(surrogate);
      if (reference) {
        const d = subtract(inputs.refLogprobs, logprobs);
        tokenLoss = add(tokenLoss, multiply(scalars.beta, subtract(subtract(exp(d), d), 1)));
      }
      return { loss: sum(multiply(inputs.weights, tokenLoss)), metrics: { entropy: sum(entropy) } };
    },
  });
}

export type GrpoLossType = 'grpo' | 'bnpo' | 'dr_grpo' | 'dapo';

/**
 * What each token of a sequence weighs in the loss of an optimizer step, one weight a sequence. It depends on the step as a
 * whole, so the loss and its gradient do not change with how the step is cut into passes.
 *
 * - `grpo`: mean over the tokens of a sequence, then over the sequences.
 * - `bnpo`: mean over the tokens of each pass of `passSize` sequences in their order, then over the passes.
 * - `dr_grpo`: sum / (sequences · `maxCompletionLength`) (Liu et al. 2025, arXiv 2503.20783).
 * - `dapo`: mean over all tokens of the step.
 *
 * @param lengths trained tokens of each sequence; 0 for one that is left out of the loss but counts as a sequence.
 */
export function grpoWeights(
  lossType: GrpoLossType,
  lengths: readonly number[],
  options: { readonly passSize: number; readonly maxCompletionLength: number },
): number[] {
  const tokens = (from: number, to: number) => lengths.slice(from, to).reduce((total, length) => total + length, 0);
  const inverse = (count: number) => 1 / Math.max(1, count);
  switch (lossType) {
    case 'grpo':
      return lengths.map((length) => inverse(length) / lengths.length);
    case 'bnpo': {
      const passes = Math.ceil(lengths.length / options.passSize);
      return lengths.map((_, index) => {
        const start = index - (index % options.passSize);
        return inverse(tokens(start, start + options.passSize)) / passes;
      });
    }
    case 'dr_grpo':
      return lengths.map(() => 1 / (lengths.length * options.maxCompletionLength));
    case 'dapo': {
      const weight = inverse(tokens(0, lengths.length));
      return lengths.map(() => weight);
    }
  }
}
