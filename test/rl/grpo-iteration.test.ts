import { describe, expect, it } from 'vitest';
import {
  checkAgreement,
  createRewardScorer,
  type GrpoContext,
  type GrpoPlanRequest,
  grpoIteration,
  type Metrics,
  planGrpo,
  policySequence,
} from '../../src/rl/index.js';
import { generateGroups, type Trajectory } from '../../src/rollout/index.js';
import { characterTokenizer, samplingParams } from '../rollout/fakes.js';
import { context, prompts, reward, settings, type TestEngine, tinyEngine, trajectory } from './grpo-support.js';

const questions = prompts(8);
const request: GrpoPlanRequest = {
  prompts: 8,
  seed: 1,
  numGenerations: 8,
  generationBatchSize: 64,
  batchSize: 64,
  numIterations: 1,
  numEpochs: 1,
  maxSteps: 12,
};

async function run(it: GrpoContext, changes: Partial<GrpoPlanRequest> = {}, signal?: AbortSignal) {
  const updates: Metrics[] = [];
  const sampled: Trajectory[][] = [];
  for (const generation of planGrpo({ ...request, ...changes }).generations()) {
    const hooks = {
      onScored: async ({ groups }: { readonly groups: readonly (readonly Trajectory[])[] }) => {
        sampled.push(groups.flat());
      },
      onUpdate: async ({ metrics }: { readonly metrics: Metrics }) => {
        updates.push(metrics);
      },
    };
    await grpoIteration(it, questions, generation, hooks, signal);
  }
  return { updates, sampled };
}

async function withEngine<T>(use: (engine: TestEngine) => Promise<T>): Promise<T> {
  const engine = await tinyEngine();
  try {
    return await use(engine);
  } finally {
    await engine.dispose();
  }
}

describe('learning', () => {
  it('a random model learns what is rewarded, the same way each time', async () => {
    const rewards = () =>
      withEngine(async (engine) =>
        (await run(context(engine), { maxSteps: 16 })).updates.map(({ reward: mean }) => mean!),
      );
    const [first, second] = [await rewards(), await rewards()];
    expect(first[0]).toBeLessThan(0.6);
    expect(first.at(-1)).toBeGreaterThan(0.9);
    expect(second).toEqual(first);
  });

  it('several passes over a generation clip ratios and still learn', async () => {
    const { updates } = await withEngine((engine) =>
      run(context(engine), { numIterations: 2, batchSize: 32, maxSteps: 24 }),
    );
    const rewards = updates.flatMap(({ reward: mean }) => mean ?? []);
    expect(rewards).toHaveLength(6);
    expect(rewards.at(-1)).toBeGreaterThan(rewards[0]! + 0.2);
    expect(updates[0]!['clip_ratio/region_mean']).toBe(0);
    expect(Math.max(...updates.map((metrics) => metrics['clip_ratio/region_mean']!))).toBeGreaterThan(0);
  });

  it('a KL term keeps the policy nearer to its reference', async () => {
    const divergence = (beta: number) =>
      withEngine(async (engine) => {
        const frozen = await tinyEngine();
        const reference: GrpoContext['reference'] = (batch, options) => frozen.forward(batch, options);
        const { updates } = await run(context(engine, { reference, settings: { ...settings, beta } }));
        await frozen.dispose();
        return updates.at(-1)!.kl!;
      });
    expect(await divergence(2)).toBeLessThan(0.5 * (await divergence(1e-6)));
  });
});

describe('what an iteration does with its samples', () => {
  it('trains on the sampled tokens of the published version', () =>
    withEngine(async (engine) => {
      const { updates, sampled } = await run(context(engine), { maxSteps: 3 });
      sampled.forEach((trajectories, generation) => {
        expect(trajectories).toHaveLength(64);
        for (const { spans, step } of trajectories) {
          expect(step).toBe(generation + 1);
          expect(spans[1]!.policyVersion).toBe(generation);
        }
      });
      for (const metrics of updates) {
        expect(metrics['sampling/sampling_logp_difference/max']).toBeLessThan(1e-4);
        expect(metrics.grad_norm).toBeGreaterThan(0);
      }
    }));

  it('trains the tempered policy that sampled, not another one', () =>
    withEngine(async (engine) => {
      const tempered = context(engine, {
        settings: { ...settings, temperature: 0.5, compareWith: 'samplingLogprobs' },
        sampling: { ...samplingParams, maxTokens: 6, temperature: 0.5 },
      });
      const { updates } = await run(tempered, { maxSteps: 3 });
      for (const metrics of updates) expect(metrics['sampling/sampling_logp_difference/max']).toBeLessThan(2e-4);
    }));

  it('leaves answers without a verdict out, each group on its own, and counts them', () =>
    withEngine(async (engine) => {
      const half = reward((_, completions, { i }) =>
        completions.map((__, at) => (i![at] === 0 ? null : Number(at % 2 === 0))),
      );
      const { updates, sampled } = await run(context(engine, { scorer: createRewardScorer([half]) }), { maxSteps: 1 });
      expect(updates[0]).toMatchObject({ 'completions/no_verdict': 8, reward: 0.5 });
      const unjudged = sampled[0]!.filter(({ verdict }) => verdict.kind === 'noVerdict');
      expect(unjudged.map(({ promptId, advantage }) => [promptId, advantage])).toEqual(new Array(8).fill(['p0', null]));
    }));

  it('makes no update where all answers of all groups are equally good', () =>
    withEngine(async (engine) => {
      const flat = createRewardScorer([reward((_, completions) => completions.map(() => 1))]);
      const { updates } = await run(context(engine, { scorer: flat }), { maxSteps: 2 });
      for (const metrics of updates) {
        expect(metrics).toMatchObject({ frac_reward_zero_std: 1, skipped_zero_advantage: 64 });
        expect(metrics).not.toHaveProperty('grad_norm');
      }
    }));

  it('stops the run when a reward fails again and again, with the call that failed', () =>
    withEngine(async (engine) => {
      const broken = createRewardScorer([
        reward(() => {
          throw new Error('no such column');
        }, 'mine'),
      ]);
      await expect(run(context(engine, { scorer: broken }))).rejects.toThrow(
        /mine gave nothing usable in 3 calls in a row[\s\S]*no such column[\s\S]*in the call mine\(/,
      );
    }));

  it('stops while it samples, without touching the weights', () =>
    withEngine(async (engine) => {
      const controller = new AbortController();
      const [generation] = planGrpo(request).generations();
      const before = await sampleOnce(engine);
      const iteration = grpoIteration(
        context(engine),
        questions,
        generation!,
        { onSampling: () => controller.abort(new Error('enough')) },
        controller.signal,
      );
      await expect(iteration).rejects.toThrow('enough');
      expect(await sampleOnce(engine)).toEqual(before);
    }));
});

async function sampleOnce(engine: TestEngine): Promise<number[][]> {
  const results = await engine.sample(
    questions.map(({ tokens }) => ({ prompt: tokens, params: { ...samplingParams, temperature: 0 }, seed: 1 })),
  );
  return results.map(({ tokens, logprobs }) => [...tokens, ...logprobs]);
}

describe('the agreement of sampler and trainer', () => {
  const judged = async (engine: TestEngine) => {
    const groups = await generateGroups(engine, characterTokenizer, questions, {
      numGenerations: 2,
      params: samplingParams,
      seed: 1,
      step: 1,
    });
    return groups.flatMap(({ rollouts }) =>
      rollouts.map((rollout) =>
        policySequence({ ...rollout, verdict: { kind: 'scored', reward: 0 }, rewards: {}, advantage: 0 }),
      ),
    );
  };

  it('holds to within rounding on the same weights', () =>
    withEngine(async (engine) => {
      const { max, tokens } = await checkAgreement(engine, await judged(engine));
      expect(tokens).toBeGreaterThan(8);
      expect(max).toBeLessThan(1e-4);
    }));

  it('is an error with both figures when the weights differ', async () => {
    const other = await tinyEngine(2);
    const sequences = await judged(other);
    await other.dispose();
    await withEngine((engine) =>
      expect(checkAgreement(engine, sequences)).rejects.toThrow(
        /disagree about the same tokens: \d+ of \d+ .*mean .*largest [\s\S]*token \d+ at position \d+ of trajectory 1-\d-\d: sampler -\d.*trainer -\d/,
      ),
    );
  });

  it('answers of other weights than those published are refused', () =>
    withEngine(async (engine) => {
      const stale: GrpoContext['engine'] = {
        ...engine,
        sample: async (requests, options) =>
          (await engine.sample(requests, options)).map((result) => ({ ...result, policyVersion: 5 })),
      };
      await expect(run(context(stale), { maxSteps: 1 })).rejects.toThrow(
        'sampled with the weights of version 5, but version 0 was published',
      );
    }));

  it('has nothing to say about answers without tokens', async () => {
    const empty = [policySequence(trajectory({ answer: [] }))];
    const engine = { forward: () => Promise.reject(new Error('not to be called')) };
    expect(await checkAgreement(engine, empty)).toEqual({ mean: 0, max: 0, tokens: 0 });
  });
});
