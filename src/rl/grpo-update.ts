import type { Batch, Engine, ForwardResult } from '../engine/index.js';
import { type GrpoLossType, grpoLoss, grpoWeights } from '../methods/grpo.js';
import { isTruncated } from '../rollout/index.js';
import { type Metrics, policyMetrics } from './grpo-metrics.js';
import { cutPasses, type PolicySequence } from './policy-sequence.js';

export interface GrpoLossSettings {
  readonly lossType: GrpoLossType;
  readonly epsilon: number;
  readonly epsilonHigh: number;
  /** Weight of the KL term; 0 = no reference. */
  readonly beta: number;
  readonly importanceSamplingLevel: 'token' | 'sequence';
  /** Answers cut off at the length limit carry no loss. */
  readonly maskTruncated: boolean;
  readonly maxCompletionLength: number;
  /** Sequences of a pass, by which `bnpo` averages. */
  readonly passSize: number;
  /** Tokens the engine is given at once. It changes memory and speed, never the gradient. */
  readonly passTokens: number;
  /** Sampling temperature: ratios and entropies are those of the tempered policy, the one that sampled. */
  readonly temperature: number;
  /** Which of the sampler's log-probabilities the trainer's are compared with: with dropout or cuts in sampling, none. */
  readonly compareWith: 'logprobs' | 'samplingLogprobs' | null;
}

/** A sequence with the log-probabilities that its ratio and its KL term are taken against. */
export interface PreparedSequence extends PolicySequence {
  /** Absent on policy. */
  readonly oldLogprobs?: Float32Array;
  readonly refLogprobs?: Float32Array;
}

/** The reference policy: log-probabilities of a batch under the weights that training started from. */
export type Reference = (batch: Batch, options: { readonly signal?: AbortSignal }) => Promise<ForwardResult>;

/**
 * Adds what must be known before the first update: the log-probabilities under the weights that sampled (`onPolicy`: they are
 * those of the update itself) and under the reference (null: none).
 */
export async function prepareSequences(
  engine: Pick<Engine, 'forward'>,
  reference: Reference | null,
  sequences: readonly PolicySequence[],
  options: {
    readonly onPolicy: boolean;
    readonly temperature: number;
    readonly passTokens: number;
    readonly signal?: AbortSignal;
  },
): Promise<PreparedSequence[]> {
  if (options.onPolicy && reference === null) return [...sequences];
  const signal = options.signal ? { signal: options.signal } : {};
  const prepared = new Map<PolicySequence, PreparedSequence>();
  for (const pass of cutPasses(sequences, options.passTokens)) {
    const batch: Batch = {
      sequences: pass.map(({ sequence }) => sequence),
      inputs: {},
      scalars: {},
      temperature: options.temperature,
    };
    const old = options.onPolicy ? null : await engine.forward(batch, signal);
    const ref = reference && (await reference(batch, signal));
    pass.forEach((sequence, i) => {
      prepared.set(sequence, {
        ...sequence,
        ...(old && { oldLogprobs: old.logprobs[i]! }),
        ...(ref && { refLogprobs: ref.logprobs[i]! }),
      });
    });
  }
  return sequences.map((sequence) => prepared.get(sequence)!);
}

export interface GradientResult {
  /** Null when no sequence had anything to teach; then no gradient was accumulated. */
  readonly loss: number | null;
  readonly metrics: Metrics;
  /** What was trained on, for a report on a loss that is not a number. */
  readonly trained: readonly PreparedSequence[];
}

/**
 * Accumulates the gradient of one optimizer step. Every sequence counts in the averages; those that cannot change the
 * gradient (advantage 0 without KL term, masked) are not run.
 *
 * Metrics: `policyMetrics` over the trained tokens, `entropy`, `skipped_zero_advantage` and `skipped_truncated` (sequences).
 */
export async function grpoGradient(
  engine: Pick<Engine, 'forwardBackward'>,
  sequences: readonly PreparedSequence[],
  settings: GrpoLossSettings,
  options: { readonly onPass?: (done: number, total: number) => void } = {},
): Promise<GradientResult> {
  const { beta, maskTruncated } = settings;
  const masked = ({ trajectory }: PolicySequence) => maskTruncated && isTruncated(trajectory);
  const weights = grpoWeights(
    settings.lossType,
    sequences.map((item) => (masked(item) ? 0 : item.length)),
    settings,
  );
  const weightOf = new Map(sequences.map((item, i) => [item, weights[i]!]));
  const unmasked = sequences.filter((item) => !masked(item));
  const trained = unmasked.filter(({ trajectory }) => beta > 0 || trajectory.advantage !== 0);
  const skipped = {
    skipped_zero_advantage: unmasked.length - trained.length,
    skipped_truncated: sequences.length - unmasked.length,
  };
  if (trained.length === 0) return { loss: null, metrics: skipped, trained };

  const passes = cutPasses(trained, settings.passTokens);
  const onPolicy = trained[0]!.oldLogprobs === undefined;
  const loss = grpoLoss({
    onPolicy,
    reference: beta > 0,
    importanceSamplingLevel: settings.importanceSamplingLevel,
  });
  let value = 0;
  let entropy = 0;
  const logprobs = new Map<PreparedSequence, Float32Array>();
  for (const [index, pass] of passes.entries()) {
    const column = (values: (item: PreparedSequence) => Float32Array | number) =>
      pass.map((item) => {
        const given = values(item);
        return typeof given === 'number' ? new Float32Array(item.sequence.tokens.length).fill(given) : given;
      });
    const result = await engine.forwardBackward(
      {
        sequences: pass.map(({ sequence }) => sequence),
        inputs: {
          weights: column((item) => weightOf.get(item)!),
          advantages: column(({ trajectory }) => trajectory.advantage!),
          ...(!onPolicy && { oldLogprobs: column(({ oldLogprobs }) => oldLogprobs!) }),
          ...(beta > 0 && { refLogprobs: column(({ refLogprobs }) => refLogprobs!) }),
        },
        scalars: {
          ...(!onPolicy && { epsilonLow: settings.epsilon, epsilonHigh: settings.epsilonHigh }),
          ...(beta > 0 && { beta }),
        },
        temperature: settings.temperature,
      },
      loss,
    );
    value += result.loss;
    entropy += result.metrics.entropy!;
    pass.forEach((item, i) => {
      logprobs.set(item, result.logprobs[i]!);
    });
    options.onPass?.(index + 1, passes.length);
  }
  const tokens = trained.reduce((sum, { length }) => sum + length, 0);
  const figures = policyMetrics(
    trained.map((item) => ({
      mask: item.sequence.wanted,
      advantage: item.trajectory.advantage!,
      logprobs: logprobs.get(item)!,
      oldLogprobs: item.oldLogprobs ?? logprobs.get(item)!,
      ...(item.refLogprobs && { refLogprobs: item.refLogprobs }),
      ...(settings.compareWith && { samplingLogprobs: item[settings.compareWith] }),
    })),
    settings,
  );
  return { loss: value, metrics: { ...figures, entropy: entropy / tokens, ...skipped }, trained };
}
