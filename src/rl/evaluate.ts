import type { Engine, SamplingParams } from '../engine/types.js';
import {
  type GenerateProgress,
  generateGroups,
  isTruncated,
  type PreparedPrompt,
  type Tokenizer,
  type Trajectory,
} from '../rollout/index.js';
import type { RewardFailure, RewardScorer } from './rewards/index.js';
import { scoreGroups } from './score-groups.js';
import { mean, wilsonInterval } from './stats.js';

export interface EvaluateOptions {
  /** Temperature 0 unless the caller wants another. */
  readonly params: SamplingParams;
  /** Answers per prompt; default 1. */
  readonly numGenerations?: number;
  readonly seed: number;
  readonly step: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: GenerateProgress) => void;
}

export interface Accuracy {
  readonly correct: number;
  readonly total: number;
  /** correct / total; null when nothing was judged. */
  readonly value: number | null;
  /** 95 % confidence interval (Wilson). With several answers per prompt it takes them as independent. */
  readonly low: number;
  readonly high: number;
}

export interface Evaluation {
  /** Mean weighted reward over the answers with a verdict; null without any. */
  readonly reward: number | null;
  readonly rewards: Readonly<Record<string, number | null>>;
  /** Share of answers to which the first reward gives 1 or more, among those it judged. */
  readonly accuracy: Accuracy;
  readonly noVerdict: number;
  readonly truncated: number;
  readonly failures: readonly RewardFailure[];
  readonly trajectories: readonly Trajectory[];
}

/** Answers held-out prompts with the published weights and judges the answers. */
export async function evaluateRewards(
  engine: Pick<Engine, 'sample'>,
  tokenizer: Tokenizer,
  prompts: readonly PreparedPrompt[],
  scorer: RewardScorer,
  options: EvaluateOptions,
): Promise<Evaluation> {
  const rollouts = await generateGroups(engine, tokenizer, prompts, { numGenerations: 1, ...options });
  const { groups, failures } = await scoreGroups(scorer, rollouts, options.signal && { signal: options.signal });
  const trajectories = groups.flat();
  const given = (name: string) => trajectories.map(({ rewards }) => rewards[name]!).filter((value) => value !== null);
  const scored = trajectories.flatMap(({ verdict }) => (verdict.kind === 'scored' ? [verdict.reward] : []));
  const first = scorer.rewards[0];
  const judged = first ? given(first.name) : [];
  return {
    reward: meanOrNull(scored),
    rewards: Object.fromEntries(scorer.rewards.map(({ name }) => [name, meanOrNull(given(name))])),
    accuracy: accuracyOf(judged.filter((value) => value >= 1).length, judged.length),
    noVerdict: trajectories.length - scored.length,
    truncated: trajectories.filter(isTruncated).length,
    failures,
    trajectories,
  };
}

function accuracyOf(correct: number, total: number): Accuracy {
  const [low, high] = wilsonInterval(correct, total);
  return { correct, total, value: total === 0 ? null : correct / total, low, high };
}

function meanOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : mean(values);
}
