import { completionLength, contextLength, isTruncated, type Trajectory } from '../rollout/index.js';
import { isZeroStd } from './advantages.js';
import { mean, standardDeviation } from './stats.js';

export type Metrics = Readonly<Record<string, number>>;

/**
 * Metrics of a sampled and judged batch, under TRL's names: `reward`, `reward_std`, `frac_reward_zero_std`,
 * `rewards/<func>/mean|std`, `completions/*`, `num_tokens`, and `completions/no_verdict` (a count). Lengths are in
 * sampled tokens, stop token included. A figure without a value to compute it from is left out, never 0.
 * `frac_reward_zero_std` is the share of groups, among those with a verdict, whose rewards are all equal.
 */
export function rolloutMetrics(
  groups: readonly (readonly Trajectory[])[],
  options: { readonly tokensBefore?: number } = {},
): Metrics {
  const all = groups.flat();
  const rewardGroups = groups.map(rewardsOf).filter((rewards) => rewards.length > 0);
  const rewards = rewardGroups.flat();
  const lengths = all.map(completionLength);
  const terminated = all.filter((trajectory) => !isTruncated(trajectory)).map(completionLength);
  const names = new Set(all.flatMap((trajectory) => Object.keys(trajectory.rewards)));
  return {
    ...ifAny(rewards, {
      reward: mean,
      reward_std: standardDeviation,
    }),
    ...ifAny(rewardGroups, {
      frac_reward_zero_std: (sets) => mean(sets.map((set) => Number(isZeroStd(standardDeviation(set))))),
    }),
    ...Object.assign(
      {},
      ...[...names].map((name) =>
        ifAny(
          all.map((trajectory) => trajectory.rewards[name] ?? null).filter((value) => value !== null),
          { [`rewards/${name}/mean`]: mean, [`rewards/${name}/std`]: standardDeviation },
        ),
      ),
    ),
    ...ifAny(lengths, lengthFigures('length')),
    ...ifAny(terminated, lengthFigures('terminated_length')),
    ...ifAny(all, {
      'completions/clipped_ratio': (set) => mean(set.map((trajectory) => Number(isTruncated(trajectory)))),
    }),
    'completions/no_verdict': all.length - rewards.length,
    num_tokens:
      (options.tokensBefore ?? 0) +
      all.reduce((sum, trajectory) => sum + completionLength(trajectory) + contextLength(trajectory), 0),
  };
}

/** Per-token figures of one trained sequence; the arrays run in parallel. */
export interface PolicyTokens {
  /** 1 where the token carries loss. */
  readonly mask: ArrayLike<number>;
  readonly advantage: number;
  /** log-probabilities under the weights being trained, and under those that the ratio is taken against. */
  readonly logprobs: ArrayLike<number>;
  readonly oldLogprobs: ArrayLike<number>;
  readonly refLogprobs?: ArrayLike<number>;
  readonly entropy?: ArrayLike<number>;
  /** What the sampler reported for the same tokens; compared with `oldLogprobs`. */
  readonly samplingLogprobs?: ArrayLike<number>;
}

export interface PolicyMetricsOptions {
  readonly epsilon: number;
  readonly epsilonHigh: number;
  /** `sequence`: one ratio a sequence, the exponential of its mean log-ratio (GSPO), so a sequence is clipped as a whole. */
  readonly importanceSamplingLevel?: 'token' | 'sequence';
}

/**
 * Metrics of an update under TRL's names, as means over all trained tokens: `kl` (k3 estimator, Schulman 2020),
 * `entropy`, `clip_ratio/low_mean|high_mean|region_mean`, and over sequences the lowest share clipped below
 * (`clip_ratio/low_min`) and the highest clipped above (`clip_ratio/high_max`);
 * `sampling/sampling_logp_difference/mean|max` is |trainer − sampler|. Left out where its input is missing.
 */
export function policyMetrics(sequences: readonly PolicyTokens[], options: PolicyMetricsOptions): Metrics {
  const clipped = sequences.map((sequence) => clippedRatios(sequence, options)).filter((sides) => sides.length > 0);
  const low = clipped.map((sides) => sides.map((side) => Number(side === 'low')));
  const high = clipped.map((sides) => sides.map((side) => Number(side === 'high')));
  return {
    ...ifAny(
      perToken(sequences, (s) => s.refLogprobs, k3),
      { kl: mean },
    ),
    ...ifAny(
      perToken(
        sequences,
        (s) => s.entropy,
        (_, entropy) => entropy,
      ),
      { entropy: mean },
    ),
    ...ifAny(low.flat(), { 'clip_ratio/low_mean': mean }),
    ...ifAny(low, { 'clip_ratio/low_min': (shares) => least(shares.map(mean)) }),
    ...ifAny(high.flat(), { 'clip_ratio/high_mean': mean }),
    ...ifAny(high, { 'clip_ratio/high_max': (shares) => greatest(shares.map(mean)) }),
    ...ifAny(clipped.flat(), { 'clip_ratio/region_mean': (sides) => mean(sides.map((side) => Number(side !== null))) }),
    ...ifAny(
      perToken(sequences, (s) => s.samplingLogprobs, samplerDifference),
      {
        'sampling/sampling_logp_difference/mean': mean,
        'sampling/sampling_logp_difference/max': greatest,
      },
    ),
  };
}

function rewardsOf(group: readonly Trajectory[]): number[] {
  return group.flatMap(({ verdict }) => (verdict.kind === 'scored' ? [verdict.reward] : []));
}

function lengthFigures(suffix: string): Record<string, (values: readonly number[]) => number> {
  return {
    [`completions/mean_${suffix}`]: mean,
    [`completions/min_${suffix}`]: least,
    [`completions/max_${suffix}`]: greatest,
  };
}

/** One figure per trained token, over the sequences that have `column`. */
function perToken(
  sequences: readonly PolicyTokens[],
  column: (sequence: PolicyTokens) => ArrayLike<number> | undefined,
  figure: (sequence: PolicyTokens, value: number, at: number) => number,
): number[] {
  return sequences.flatMap((sequence) => {
    const values = column(sequence);
    return values ? trained(sequence).map((at) => figure(sequence, values[at]!, at)) : [];
  });
}

function k3({ logprobs }: PolicyTokens, reference: number, at: number): number {
  const difference = reference - logprobs[at]!;
  return Math.exp(difference) - difference - 1;
}

function samplerDifference({ oldLogprobs }: PolicyTokens, sampled: number, at: number): number {
  return Math.abs(oldLogprobs[at]! - sampled);
}

/** On which side each ratio of the sequence is clipped: one entry a trained token, or one in all at sequence level. */
function clippedRatios(sequence: PolicyTokens, options: PolicyMetricsOptions): ('low' | 'high' | null)[] {
  const { advantage, logprobs, oldLogprobs } = sequence;
  const logRatios = trained(sequence).map((at) => logprobs[at]! - oldLogprobs[at]!);
  const perSequence = options.importanceSamplingLevel === 'sequence' && logRatios.length > 0;
  return (perSequence ? [mean(logRatios)] : logRatios).map((logRatio) => {
    const ratio = Math.exp(logRatio);
    if (ratio < 1 - options.epsilon && advantage < 0) return 'low';
    return ratio > 1 + options.epsilonHigh && advantage > 0 ? 'high' : null;
  });
}

function trained({ mask }: PolicyTokens): number[] {
  return Array.from(mask, (_, at) => at).filter((at) => mask[at]! > 0);
}

function ifAny<T>(values: readonly T[], figures: Readonly<Record<string, (values: readonly T[]) => number>>): Metrics {
  if (values.length === 0) return {};
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, figure(values)]));
}

// Not Math.min(...values): a batch can hold more tokens than a call may have arguments.
function least(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b));
}

function greatest(values: readonly number[]): number {
  return values.reduce((a, b) => Math.max(a, b));
}
