import type { Engine } from '../engine/index.js';
import type { PolicySequence } from './policy-sequence.js';
import { mean } from './stats.js';

export interface Agreement {
  /** Of |trainer − sampler| over the sampled tokens, in nats. */
  readonly mean: number;
  readonly max: number;
  readonly tokens: number;
}

/** Largest difference between the two that rounding can explain; relative where a log-probability is below −1. */
export const AGREEMENT_TOLERANCE = 1e-4;
const SEQUENCES = 8;

/**
 * Computes the log-probabilities of the first few sampled answers with the trainer and compares them with what the sampler
 * reported for the same tokens. Call it before an update, when both should have the same weights.
 *
 * @throws Error where they differ by more than rounding: training on such samples would follow a wrong gradient.
 */
export async function checkAgreement(
  engine: Pick<Engine, 'forward'>,
  sequences: readonly PolicySequence[],
  options: { readonly signal?: AbortSignal } = {},
): Promise<Agreement> {
  const checked = sequences.filter(({ length }) => length > 0).slice(0, SEQUENCES);
  if (checked.length === 0) return { mean: 0, max: 0, tokens: 0 };
  const { logprobs } = await engine.forward(
    { sequences: checked.map(({ sequence }) => sequence), inputs: {}, scalars: {} },
    options,
  );
  const compared = checked.flatMap(({ trajectory, sequence, logprobs: sampled }, i) =>
    [...sequence.wanted.keys()]
      .filter((at) => sequence.wanted[at] === 1)
      .map((at) => {
        const [trainer, sampler] = [logprobs[i]![at]!, sampled[at]!];
        return { trajectory, token: sequence.targets[at]!, at, trainer, sampler, gap: Math.abs(trainer - sampler) };
      }),
  );
  const differences = compared.map(({ gap }) => gap);
  const result = {
    mean: mean(differences),
    max: differences.reduce((a, b) => Math.max(a, b)),
    tokens: compared.length,
  };
  // Negated, so that a NaN counts as a difference.
  const off = compared.filter(({ gap, trainer }) => !(gap <= AGREEMENT_TOLERANCE * Math.max(1, Math.abs(trainer))));
  if (off.length === 0) return result;
  const worst = off.reduce((a, b) => (b.gap > a.gap ? b : a));
  throw new Error(
    `The sampler and the trainer disagree about the same tokens: ${off.length} of ${compared.length} log-probabilities differ ` +
      `by more than ${AGREEMENT_TOLERANCE} (mean ${result.mean.toPrecision(3)}, largest ${result.max.toPrecision(3)}).\n` +
      `  Worst: token ${worst.token} at position ${worst.at} of trajectory ${worst.trajectory.id}: ` +
      `sampler ${worst.sampler.toPrecision(6)}, trainer ${worst.trainer.toPrecision(6)}.\n` +
      '  Either the sampler does not have the weights being trained, or one of the two computes them wrongly; the gradient ' +
      'would be wrong. With engine.device other than cpu, try engine.device: cpu and report the difference.',
  );
}

/** Throws where answers were not sampled with the weights of `version`, the number they were published under. */
export function checkPolicyVersion(sequences: readonly PolicySequence[], version: number): void {
  for (const { trajectory } of sequences) {
    const other = trajectory.spans.find(({ kind, policyVersion }) => kind === 'assistant' && policyVersion !== version);
    if (other) {
      throw new Error(
        `Trajectory ${trajectory.id} was sampled with the weights of version ${other.policyVersion}, but version ${version} was published.`,
      );
    }
  }
}
