import { describe, expect, it } from 'vitest';
import { policyMetrics, rolloutMetrics } from '../../src/rl/index.js';
import type { Trajectory, Verdict } from '../../src/rollout/index.js';
import { readGoldenJson } from '../golden/read-golden.js';

function trajectory(length: number, verdict: Verdict, rewards: Trajectory['rewards'], truncated = false): Trajectory {
  return {
    id: 'id',
    step: 1,
    group: 0,
    generation: 0,
    promptId: 'p',
    prompt: 'p',
    promptText: 'p',
    seed: 1,
    spans: [
      { kind: 'prompt', tokens: new Int32Array(3) },
      { kind: 'assistant', tokens: new Int32Array(length) },
    ],
    text: '',
    finishReason: truncated ? 'length' : 'stop',
    timings: { sampleMs: 0 },
    verdict,
    rewards,
    advantage: null,
  };
}
const scored = (reward: number): Verdict => ({ kind: 'scored', reward });

describe('metrics of a sampled batch', () => {
  it('follow TRL’s names and leave what has no verdict out', () => {
    const metrics = rolloutMetrics(
      [
        [trajectory(2, scored(1), { a: 1, b: null }), trajectory(4, scored(0), { a: 0, b: null })],
        [
          trajectory(6, scored(2), { a: 2, b: null }),
          trajectory(8, { kind: 'noVerdict', cause: 'x' }, { a: null, b: null }, true),
        ],
      ],
      { tokensBefore: 100 },
    );
    expect(metrics).toEqual({
      reward: 1,
      reward_std: 1,
      frac_reward_zero_std: 0.5,
      'rewards/a/mean': 1,
      'rewards/a/std': 1,
      'completions/mean_length': 5,
      'completions/min_length': 2,
      'completions/max_length': 8,
      'completions/mean_terminated_length': 4,
      'completions/min_terminated_length': 2,
      'completions/max_terminated_length': 6,
      'completions/clipped_ratio': 0.25,
      'completions/no_verdict': 1,
      num_tokens: 100 + 12 + 20,
    });
  });

  it('claim no length of terminated answers where none terminated', () => {
    const metrics = rolloutMetrics([[trajectory(9, scored(0), {}, true)]]);
    expect(metrics['completions/clipped_ratio']).toBe(1);
    expect(metrics).not.toHaveProperty('completions/mean_terminated_length');
  });
});

describe('metrics of an update', () => {
  const old = [-1, -1, -1, -1];
  const logprobs = [-1, -1 + Math.log(2), -1 + Math.log(0.5), -9];
  const mask = [1, 1, 1, 0];

  it('count clipped tokens by side, over trained tokens only', () => {
    const up = { mask, advantage: 1, logprobs, oldLogprobs: old };
    const down = { ...up, advantage: -1 };
    const still = { ...up, logprobs: old };
    const metrics = policyMetrics([up, down, still], { epsilon: 0.2, epsilonHigh: 0.28 });
    expect(metrics).toEqual({
      'clip_ratio/low_mean': expect.closeTo(1 / 9, 12),
      'clip_ratio/low_min': 0,
      'clip_ratio/high_mean': expect.closeTo(1 / 9, 12),
      'clip_ratio/high_max': expect.closeTo(1 / 3, 12),
      'clip_ratio/region_mean': expect.closeTo(2 / 9, 12),
    });
  });

  it('average divergence, entropy and the gap to the sampler over trained tokens', () => {
    const metrics = policyMetrics(
      [
        {
          mask,
          advantage: 1,
          logprobs: old,
          oldLogprobs: old,
          refLogprobs: [-1, -1, -1 + Math.log(2), 50],
          entropy: [1, 2, 3, 99],
          samplingLogprobs: [-1.1, -1, -1, 50],
        },
        { mask: [0, 0, 0, 0], advantage: 1, logprobs: old, oldLogprobs: old },
      ],
      { epsilon: 0.2, epsilonHigh: 0.2 },
    );
    expect(metrics).toMatchObject({
      kl: expect.closeTo((2 - Math.log(2) - 1) / 3, 12),
      entropy: 2,
      'sampling/sampling_logp_difference/mean': expect.closeTo(0.1 / 3, 12),
      'sampling/sampling_logp_difference/max': expect.closeTo(0.1, 12),
    });
  });
});

interface GoldenLosses {
  readonly batch: {
    readonly logprobs: number[][];
    readonly old_logprobs: number[][];
    readonly ref_logprobs: number[][];
    readonly advantages: number[];
    readonly mask: number[][];
    readonly truncated: boolean[];
  };
  readonly cases: readonly {
    readonly options: {
      readonly beta: number;
      readonly epsilon: number;
      readonly epsilon_high: number;
      readonly importance_sampling_level: 'token' | 'sequence';
      readonly mask_truncated_completions: boolean;
      readonly on_policy: boolean;
    };
    readonly metrics?: Readonly<Record<string, number>>;
  }[];
}

it('metrics of an update equal TRL’s', () => {
  const { batch, cases } = readGoldenJson<GoldenLosses>('losses/grpo.json');
  let compared = 0;
  for (const { options, metrics } of cases) {
    if (!metrics) continue;
    const sequences = batch.mask.map((mask, index) => ({
      mask: options.mask_truncated_completions && batch.truncated[index] ? mask.map(() => 0) : mask,
      advantage: batch.advantages[index]!,
      logprobs: batch.logprobs[index]!,
      oldLogprobs: options.on_policy ? batch.logprobs[index]! : batch.old_logprobs[index]!,
      ...(options.beta > 0 && { refLogprobs: batch.ref_logprobs[index]! }),
    }));
    const ours = policyMetrics(sequences, {
      epsilon: options.epsilon,
      epsilonHigh: options.epsilon_high,
      importanceSamplingLevel: options.importance_sampling_level,
    });
    for (const [name, value] of Object.entries(metrics)) {
      expect(ours[name], `${name} with ${JSON.stringify(options)}`).toBeCloseTo(value, 6);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(50);
});
