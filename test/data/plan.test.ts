import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { epochOrder, type PlannedStep, packBins, planBatches, planTraining } from '../../src/data/index.js';

const lengthsOf = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 120 });
const batching = fc.record({
  micro_batch_size: fc.integer({ min: 1, max: 5 }),
  gradient_accumulation_steps: fc.integer({ min: 1, max: 4 }),
  sequence_len: fc.constant(64),
  sample_packing: fc.boolean(),
});
const upTo = (n: number) => Array.from({ length: n }, (_, index) => index);
const sorted = (items: readonly number[]) => [...items].sort((left, right) => left - right);

describe('order of an epoch', () => {
  test('is a permutation, the same for the same seed and epoch, another for another', () => {
    expect(sorted(epochOrder(100, 42, 0))).toEqual(upTo(100));
    expect(epochOrder(100, 42, 3)).toEqual(epochOrder(100, 42, 3));
    expect(epochOrder(100, 42, 0)).not.toEqual(epochOrder(100, 42, 1));
    expect(epochOrder(100, 42, 1)).not.toEqual(epochOrder(100, 43, 0));
  });
});

describe('packing', () => {
  test('puts every example into one bin and fills none beyond its capacity', () => {
    fc.assert(
      fc.property(lengthsOf, fc.integer({ min: 64, max: 200 }), (lengths, capacity) => {
        const bins = packBins(lengths, upTo(lengths.length), capacity);
        expect(sorted(bins.flat())).toEqual(upTo(lengths.length));
        const filled = bins.map((bin) => bin.reduce((sum, index) => sum + lengths[index]!, 0));
        for (const tokens of filled) expect(tokens).toBeLessThanOrEqual(capacity);
        // First fit never leaves two bins that would fit into one.
        const [least = capacity, next = capacity] = sorted(filled);
        expect(least + next).toBeGreaterThan(bins.length > 1 ? capacity : 0);
      }),
    );
  });

  test('is first-fit decreasing', () => {
    expect(packBins([3, 8, 2, 5, 7, 4], upTo(6), 10)).toEqual([
      [1, 2],
      [4, 0],
      [3, 5],
    ]);
  });

  test('refuses an example that fits no bin', () => {
    expect(() => packBins([3, 11], [0, 1], 10)).toThrow(/Example 1 has 11 tokens/);
  });
});

describe('batches of an epoch', () => {
  test('hold every example exactly once, within the size of a micro-batch', () => {
    fc.assert(
      fc.property(lengthsOf, batching, fc.integer({ min: 0, max: 5 }), (lengths, config, epoch) => {
        const steps = planBatches({ lengths, config, seed: 1, epoch });
        expect(sorted(steps.flat(2))).toEqual(upTo(lengths.length));
        for (const step of steps) expect(step.length).toBeLessThanOrEqual(config.gradient_accumulation_steps);
        for (const step of steps.slice(0, -1)) expect(step).toHaveLength(config.gradient_accumulation_steps);
        for (const batch of steps.flat()) {
          const tokens = batch.reduce((sum, index) => sum + lengths[index]!, 0);
          expect(tokens).toBeLessThanOrEqual(config.micro_batch_size * config.sequence_len);
          if (!config.sample_packing) expect(batch.length).toBeLessThanOrEqual(config.micro_batch_size);
        }
      }),
    );
  });
});

describe('plan of a run', () => {
  const collect = (steps: Iterable<PlannedStep>) => [...steps];

  test('a run resumed at any step goes on exactly as the uninterrupted one', () => {
    fc.assert(
      fc.property(lengthsOf, batching, fc.double({ min: 0.1, max: 3, noNaN: true }), (lengths, config, num_epochs) => {
        const plan = planTraining({ lengths, config: { ...config, num_epochs, max_steps: null }, seed: 5 });
        const all = collect(plan.steps());
        expect(all).toHaveLength(plan.totalSteps);
        expect(all.map((step) => step.globalStep)).toEqual(upTo(plan.totalSteps));
        for (const [done, step] of all.entries()) {
          if (done % 7 === 0) expect(collect(plan.steps(step.next))).toEqual(all.slice(done + 1));
        }
      }),
      { numRuns: 50 },
    );
  });

  const config = {
    micro_batch_size: 2,
    gradient_accumulation_steps: 2,
    sequence_len: 64,
    sample_packing: false,
    max_steps: null,
  };
  const lengths = new Array<number>(39).fill(10);

  test.each([
    [1, 10],
    [1.1, 11],
    [0.5, 5],
    [0.01, 1],
    [2.35, 24],
  ])('%d epochs of ten steps are %d steps', (num_epochs, expected) => {
    expect(planTraining({ lengths, config: { ...config, num_epochs }, seed: 0 }).totalSteps).toBe(expected);
  });

  test('max_steps wins over num_epochs, in both directions', () => {
    const run = (max_steps: number) =>
      planTraining({ lengths, config: { ...config, num_epochs: 1, max_steps }, seed: 0 });
    expect(collect(run(3).steps())).toHaveLength(3);
    expect(collect(run(25).steps()).at(-1)).toMatchObject({ epoch: 2, step: 4, globalStep: 24, epochsDone: 2.5 });
  });

  test('packed steps are counted on the bins there are', () => {
    const packed = { ...config, sample_packing: true, num_epochs: 1 };
    // 39 examples of 10 tokens, 12 of them in a micro-batch of 128 tokens: 4 micro-batches, 2 steps.
    expect(planTraining({ lengths, config: packed, seed: 0 }).totalSteps).toBe(2);
    expect(planTraining({ lengths: [5], config: packed, seed: 0 }).totalSteps).toBe(1);
  });

  test('no example at all is an error', () => {
    expect(() => planTraining({ lengths: [], config: { ...config, num_epochs: 1 }, seed: 0 })).toThrow(
      /no training example/,
    );
  });
});

test('the smallest part of an epoch is one step, not none', () => {
  const batch = { micro_batch_size: 1, gradient_accumulation_steps: 1, sequence_len: 64, sample_packing: false };
  const plan = planTraining({ lengths: [3, 4], config: { ...batch, num_epochs: 1e-9, max_steps: null }, seed: 0 });
  expect(plan.totalSteps).toBe(1);
});
