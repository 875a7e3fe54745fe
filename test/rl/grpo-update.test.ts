import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ForwardBackwardResult, Loss } from '../../src/engine/index.js';
import {
  type GrpoLossSettings,
  grpoGradient,
  type PreparedSequence,
  policySequence,
  prepareSequences,
} from '../../src/rl/index.js';
import { optimizer, settings, type TestEngine, tinyEngine, trajectory } from './grpo-support.js';

const answers = [[20, 21, 22], [23], [30, 31, 32, 33, 34], [40, 41], [50, 51, 52, 53], [60]];
const advantages = [1.2, -0.4, 0.7, 0, -1.1, 0.5];
const sequences = answers.map((answer, i) =>
  policySequence(trajectory({ answer, advantage: advantages[i]!, truncated: i === 2 })),
);

let engine: TestEngine;
beforeAll(async () => {
  engine = await tinyEngine();
});
afterAll(() => engine.dispose());

/** Loss and gradient norm of the step; the weights stay as they are. */
async function measure(items: readonly PreparedSequence[], changes: Partial<GrpoLossSettings> = {}) {
  const result = await grpoGradient(engine, items, { ...settings, ...changes });
  const { gradNorm } = await engine.optimStep({ ...optimizer, learningRate: 0 });
  return { ...result, gradNorm };
}

describe('the gradient of an optimizer step', () => {
  const variants = (['grpo', 'bnpo', 'dr_grpo', 'dapo'] as const).flatMap((lossType) =>
    (['token', 'sequence'] as const).flatMap((importanceSamplingLevel) =>
      [0, 0.1].map((beta) => ({ lossType, importanceSamplingLevel, beta })),
    ),
  );
  it.each(variants)('does not depend on how the step is cut into passes (%o)', async (variant) => {
    const reference = variant.beta > 0 ? (batch: Parameters<TestEngine['forward']>[0]) => engine.forward(batch) : null;
    const prepared = await prepareSequences(engine, reference, sequences, {
      onPolicy: false,
      temperature: 1,
      passTokens: 1000,
    });
    const whole = await measure(prepared, { ...variant, passTokens: 1000 });
    const cut = await measure(prepared, { ...variant, passTokens: 9 });
    expect(cut.loss).toBeCloseTo(whole.loss!, 5);
    expect(cut.gradNorm / whole.gradNorm).toBeCloseTo(1, 4);
    expect(whole.gradNorm).toBeGreaterThan(0);
    expect(cut.metrics).toEqual(
      Object.fromEntries(Object.entries(whole.metrics).map(([name, value]) => [name, expect.closeTo(value, 4)])),
    );
  });

  it('is the same on policy and with the log-probabilities of the same weights given as old ones', async () => {
    const prepared = await prepareSequences(engine, null, sequences, {
      onPolicy: false,
      temperature: 1,
      passTokens: 1000,
    });
    const [onPolicy, offPolicy] = [await measure(sequences), await measure(prepared)];
    expect(onPolicy.gradNorm / offPolicy.gradNorm).toBeCloseTo(1, 4);
    expect(onPolicy.loss).toBeCloseTo(offPolicy.loss!, 5);
  });

  it('counts sequences without advantage in the average but does not run them', async () => {
    const run: number[] = [];
    const counting = {
      forwardBackward: (batch: Parameters<TestEngine['forwardBackward']>[0], loss: Loss) => {
        run.push(batch.sequences.length);
        return engine.forwardBackward(batch, loss) as Promise<ForwardBackwardResult>;
      },
    };
    const { metrics } = await grpoGradient(counting, sequences, { ...settings, passTokens: 1000 });
    await engine.optimStep({ ...optimizer, learningRate: 0 });
    expect(run).toEqual([5]);
    expect(metrics).toMatchObject({ skipped_zero_advantage: 1, skipped_truncated: 0 });
    // Two more tokens in the average make the loss smaller.
    const [withIt, without] = [await measure(sequences), await measure(sequences.filter((_, i) => i !== 3))];
    expect(withIt.loss! / without.loss!).toBeCloseTo(14 / 16, 4);
  });

  it('leaves truncated answers out when they are masked', async () => {
    const { metrics, trained } = await measure(sequences, { maskTruncated: true });
    expect(metrics).toMatchObject({ skipped_truncated: 1, skipped_zero_advantage: 1 });
    expect(trained).not.toContain(sequences[2]);
  });

  it('is none where nothing can be learnt', async () => {
    const flat = [policySequence(trajectory({ advantage: 0 }))];
    expect(await grpoGradient(engine, flat, settings)).toMatchObject({ loss: null });
    // With a KL term the same answer pulls towards the reference.
    const reference = (batch: Parameters<TestEngine['forward']>[0]) => engine.forward(batch);
    const prepared = await prepareSequences(engine, reference, flat, {
      onPolicy: true,
      temperature: 1,
      passTokens: 1000,
    });
    expect((await measure(prepared, { beta: 0.1 })).loss).toBeCloseTo(0, 6);
  });
});
