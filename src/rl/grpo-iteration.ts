import type { Engine, OptimStepParams, OptimStepResult, SamplingParams } from '../engine/index.js';
import {
  type GenerateProgress,
  generateGroups,
  type PreparedPrompt,
  type Tokenizer,
  type Trajectory,
} from '../rollout/index.js';
import type { RewardScale } from './advantages.js';
import { type Agreement, checkAgreement, checkPolicyVersion } from './agreement.js';
import { type Metrics, rolloutMetrics } from './grpo-metrics.js';
import type { PlannedGeneration, PlannedUpdate } from './grpo-plan.js';
import {
  type GradientResult,
  type GrpoLossSettings,
  grpoGradient,
  prepareSequences,
  type Reference,
} from './grpo-update.js';
import { policySequence } from './policy-sequence.js';
import type { RewardFailure, RewardScorer } from './rewards/index.js';
import { scoreGroups } from './score-groups.js';

export interface GrpoContext {
  readonly engine: Pick<Engine, 'sample' | 'publish' | 'forward' | 'forwardBackward' | 'optimStep'>;
  /** Null when `settings.beta` is 0. */
  readonly reference: Reference | null;
  readonly tokenizer: Tokenizer;
  readonly scorer: RewardScorer;
  readonly settings: GrpoLossSettings;
  readonly numGenerations: number;
  readonly sampling: SamplingParams;
  readonly scaleRewards: RewardScale;
  readonly seed: number;
  /** Parameters of the update that follows `step` finished ones. */
  optimizer(step: number): OptimStepParams;
}

export interface SampledGroups {
  readonly groups: readonly (readonly Trajectory[])[];
  readonly failures: readonly RewardFailure[];
  readonly sampleSeconds: number;
  readonly rewardSeconds: number;
}

export interface GrpoUpdate {
  /** Optimizer steps done, this one included. */
  readonly step: number;
  readonly planned: PlannedUpdate;
  readonly metrics: Metrics;
}

export interface GrpoHooks {
  /** Compare sampler and trainer before anything is trained (the first iteration of a process). */
  readonly onAgreement?: (agreement: Agreement) => void;
  readonly onSampling?: (progress: GenerateProgress) => void;
  readonly onScored?: (sampled: SampledGroups) => Promise<void>;
  readonly onPass?: (done: number, total: number) => void;
  /** Called between a gradient and its optimizer step; throws to keep the weights as they are. */
  readonly onGradient?: (gradient: GradientResult, step: number) => Promise<void>;
  readonly onUpdate?: (update: GrpoUpdate) => Promise<void>;
}

/**
 * One iteration of GRPO: publishes the current weights under the number of steps done, samples a group of answers to each
 * prompt, judges them, and trains on the sampled tokens as they are, in the optimizer steps that `generation` plans.
 *
 * Answers without a verdict take no part in anything and are counted (`completions/no_verdict`). `signal` stops the
 * sampling and judging with its reason; once the first update has begun, the iteration runs to its end, because its answers
 * belong to the weights that sampled them.
 */
export async function grpoIteration(
  context: GrpoContext,
  prompts: readonly PreparedPrompt[],
  generation: PlannedGeneration,
  hooks: GrpoHooks = {},
  signal?: AbortSignal,
): Promise<void> {
  const { engine, scorer, settings } = context;
  const { firstStep, updates } = generation;
  const abort = signal ? { signal } : {};

  await engine.publish(firstStep);
  const started = performance.now();
  const rollouts = await generateGroups(
    engine,
    context.tokenizer,
    generation.prompts.map((index) => prompts[index]!),
    {
      numGenerations: context.numGenerations,
      params: context.sampling,
      seed: context.seed,
      step: firstStep + 1,
      ...(hooks.onSampling && { onProgress: hooks.onSampling }),
      ...abort,
    },
  );
  const sampled = performance.now();
  const { groups, failures } = await scoreGroups(scorer, rollouts, { scale: context.scaleRewards, ...abort });
  const sampling = {
    groups,
    failures,
    sampleSeconds: (sampled - started) / 1000,
    rewardSeconds: (performance.now() - sampled) / 1000,
  };
  await hooks.onScored?.(sampling);

  const trajectories = groups.flat();
  const judged = trajectories.filter(({ verdict }) => verdict.kind === 'scored').map(policySequence);
  checkPolicyVersion(judged, firstStep);
  if (hooks.onAgreement) hooks.onAgreement(await checkAgreement(engine, judged, abort));
  const prepared = await prepareSequences(engine, context.reference, judged, {
    onPolicy: updates.length <= 1,
    temperature: settings.temperature,
    passTokens: settings.passTokens,
    ...abort,
  });
  const preparedOf = new Map(prepared.map((sequence) => [sequence.trajectory, sequence]));

  for (const [index, planned] of updates.entries()) {
    const began = performance.now();
    const step = firstStep + index + 1;
    const members = trajectories
      .slice(planned.start, planned.end)
      .flatMap((trajectory) => preparedOf.get(trajectory) ?? []);
    const gradient = await grpoGradient(engine, members, settings, hooks.onPass && { onPass: hooks.onPass });
    await hooks.onGradient?.(gradient, step);
    const optimizer = context.optimizer(step - 1);
    const result: OptimStepResult | null = gradient.loss === null ? null : await engine.optimStep(optimizer);
    await hooks.onUpdate?.({
      step,
      planned,
      metrics: {
        ...(gradient.loss !== null && { loss: gradient.loss }),
        ...(result && { grad_norm: result.gradNorm }),
        learning_rate: optimizer.learningRate,
        ...(index === 0 && rolloutMetrics(groups)),
        ...gradient.metrics,
        'timing/train_seconds': (performance.now() - began) / 1000,
        ...(index === 0 && {
          'timing/sample_seconds': sampling.sampleSeconds,
          'timing/reward_seconds': sampling.rewardSeconds,
        }),
      },
    });
  }
}
