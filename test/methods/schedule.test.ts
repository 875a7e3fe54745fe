import { describe, expect, it } from 'vitest';
import { createSchedule, learningRate, type ScheduleConfig, type ScheduleKind } from '../../src/methods/schedule.js';
import { readGoldenJson } from '../golden/read-golden.js';

const rates = (config: Omit<ScheduleConfig, 'learningRate'>, total: number, steps: readonly number[]) => {
  const schedule = createSchedule({ learningRate: 2, ...config }, total);
  return steps.map((step) => expect.closeTo(learningRate(schedule, step), 12));
};

describe('learning-rate schedules', () => {
  it('rise linearly from 0 over the warm-up', () => {
    for (const kind of ['constant_with_warmup', 'linear', 'cosine'] as const) {
      expect([0, 0.5, 1, 1.5, 2]).toEqual(rates({ kind, warmupSteps: 4 }, 12, [0, 1, 2, 3, 4]));
    }
  });

  it('then stay, fall in a line, or follow half a cosine', () => {
    expect([2, 2]).toEqual(rates({ kind: 'constant_with_warmup', warmupSteps: 4 }, 12, [8, 12]));
    expect([2, 1, 0]).toEqual(rates({ kind: 'linear', warmupSteps: 4 }, 12, [4, 8, 12]));
    expect([1 + Math.SQRT1_2, 1, 0]).toEqual(rates({ kind: 'cosine', warmupSteps: 4 }, 12, [6, 8, 12]));
  });

  it('do not warm up when constant, and end where cosine_min_lr_ratio says', () => {
    expect([2, 2]).toEqual(rates({ kind: 'constant', warmupSteps: 4 }, 12, [0, 12]));
    expect([2, 1.1, 0.2]).toEqual(rates({ warmupSteps: 0, cosineMinLrRatio: 0.1 }, 10, [0, 5, 10]));
  });

  it('are never negative beyond the end', () => {
    expect([0]).toEqual(rates({ kind: 'linear', warmupSteps: 0 }, 10, [15]));
  });

  it.each([
    [{}, 1000, 30],
    [{}, 10_000, 100],
    [{}, 40, 2],
    [{}, 20, 0],
    [{ warmupRatio: 0.1 }, 55, 5],
    [{ warmupSteps: 1 }, 55, 1],
  ])('with %j warm up over %d steps for %d', (config, total, warmup) => {
    expect(createSchedule({ learningRate: 1, ...config }, total).warmupSteps).toBe(warmup);
  });

  it.each([
    [{ warmupSteps: 1, warmupRatio: 0.1 }, 'exclude each other'],
    [{ warmupRatio: 3 }, 'warmup_ratio is 3'],
    [{ warmupSteps: -1 }, 'warmup_steps is -1'],
    [{ kind: 'linear', cosineMinLrRatio: 0.1 }, 'needs lr_scheduler: cosine'],
    [{ cosineMinLrRatio: 2 }, 'cosine_min_lr_ratio is 2'],
    [{ learningRate: Number.NaN }, 'learning_rate is NaN'],
  ] as const)('refuse %j', (config, message) => {
    expect(() => createSchedule({ learningRate: 1, ...config }, 100)).toThrow(message);
  });
});

interface GoldenSchedules {
  readonly cases: readonly {
    readonly scheduler: ScheduleKind;
    readonly warmup: number;
    readonly total: number;
    readonly cosine_min_lr_ratio?: number;
    readonly factors: readonly number[];
  }[];
}

describe('against transformers', () => {
  // The file also holds cosines with cosine_constant_lr_ratio, a key that is not offered.
  const cases = readGoldenJson<GoldenSchedules>('adamw/schedules.json').cases.filter(
    (golden) => !('cosine_constant_lr_ratio' in golden),
  );

  it.each(cases)('$scheduler, $warmup of $total steps of warm-up, down to $cosine_min_lr_ratio', (golden) => {
    const { scheduler, warmup, total, cosine_min_lr_ratio: ratio, factors } = golden;
    const schedule = createSchedule(
      {
        learningRate: 1,
        kind: scheduler,
        warmupSteps: warmup,
        ...(ratio !== undefined && { cosineMinLrRatio: ratio }),
      },
      total,
    );
    factors.forEach((factor, step) => {
      expect(learningRate(schedule, step), `step ${step}`).toBeCloseTo(factor, 10);
    });
  });
});
