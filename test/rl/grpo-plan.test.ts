import { describe, expect, it } from 'vitest';
import { type GrpoPlanRequest, planGrpo } from '../../src/rl/index.js';

const request: GrpoPlanRequest = {
  prompts: 10,
  seed: 3,
  numGenerations: 4,
  generationBatchSize: 16,
  batchSize: 16,
  numIterations: 1,
  numEpochs: 2,
  maxSteps: null,
};

describe('the plan of a GRPO run', () => {
  it('visits every prompt once an epoch, in an order of each epoch’s own', () => {
    const plan = planGrpo(request);
    expect(plan).toMatchObject({ totalSteps: 6, stepsPerEpoch: 3 });
    const generations = [...plan.generations()];
    expect(generations.map(({ prompts }) => prompts.length)).toEqual([4, 4, 2, 4, 4, 2]);
    const orders = [0, 3].map((at) => generations.slice(at, at + 3).flatMap(({ prompts }) => prompts));
    for (const order of orders) expect([...order].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(orders[0]).not.toEqual(orders[1]);
    expect(generations.map(({ firstStep }) => firstStep)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(generations.at(-1)!.updates).toEqual([{ start: 0, end: 8, epochsDone: 2 }]);
  });

  it('continues from any cursor as if it had never stopped', () => {
    const plan = planGrpo({ ...request, seed: 8 });
    const whole = [...plan.generations()];
    whole.forEach(({ next }, i) => {
      expect([...plan.generations(next)]).toEqual(whole.slice(i + 1));
    });
  });

  it('cuts a generation into optimizer steps and runs them as often as num_iterations says', () => {
    const plan = planGrpo({ ...request, batchSize: 8, numIterations: 2, numEpochs: 1 });
    const [first] = [...plan.generations()];
    expect(first!.updates.map(({ start, end }) => [start, end])).toEqual([
      [0, 8],
      [8, 16],
      [0, 8],
      [8, 16],
    ]);
    expect(plan.totalSteps).toBe(4 + 4 + 2);
  });

  it('ends at max_steps, in the middle of a generation or after many epochs', () => {
    const few = planGrpo({ ...request, batchSize: 8, maxSteps: 3 });
    expect([...few.generations()].map(({ updates }) => updates.length)).toEqual([2, 1]);
    const many = planGrpo({ ...request, maxSteps: 20 });
    expect([...many.generations()].reduce((sum, { updates }) => sum + updates.length, 0)).toBe(20);
  });
});
