import { describe, expect, it } from 'vitest';
import { createRewardScorer, groupAdvantages, type RewardScale, wilsonInterval } from '../../src/rl/index.js';
import { readGoldenJson } from '../golden/read-golden.js';

describe('group advantages', () => {
  // deviations: [1,2,3,4] has √(5/3), [0,0,1,1] has √(1/3), all eight √2
  const groups = [
    [1, 2, 3, 4],
    [0, 0, 1, 1],
  ];

  it('divides by the unbiased deviation of the group', () => {
    const { advantages } = groupAdvantages(groups, 'group');
    const first = Math.sqrt(5 / 3) + 1e-4;
    expect(advantages[0]).toEqual([-1.5, -0.5, 0.5, 1.5].map((value) => expect.closeTo(value / first, 12)));
    expect(advantages[1]![3]).toBeCloseTo(0.5 / (Math.sqrt(1 / 3) + 1e-4), 12);
  });

  it('divides by the deviation of the batch, or not at all', () => {
    expect(groupAdvantages(groups, 'none').advantages).toEqual([
      [-1.5, -0.5, 0.5, 1.5],
      [-0.5, -0.5, 0.5, 0.5],
    ]);
    expect(groupAdvantages(groups, 'batch').advantages[1]![0]).toBeCloseTo(-0.5 / (Math.SQRT2 + 1e-4), 12);
  });

  it('leaves members without a verdict out of their group', () => {
    const { advantages, emptyGroups } = groupAdvantages([
      [1, null, 0],
      [null, null, null],
    ]);
    const expected = 0.5 / (Math.SQRT1_2 + 1e-4);
    expect(advantages[0]).toEqual([expect.closeTo(expected, 12), null, expect.closeTo(-expected, 12)]);
    expect(advantages[1]).toEqual([null, null, null]);
    expect(emptyGroups).toBe(1);
  });

  it.each(['group', 'batch', 'none'] as const)('gives exactly 0 where nothing can be learnt (%s)', (scale) => {
    const { advantages, zeroStdGroups } = groupAdvantages([[0.1, 0.1, 0.1], [7], [5, null], [0, 1]], scale);
    expect(advantages.slice(0, 3)).toEqual([[0, 0, 0], [0], [0, null]]);
    expect(zeroStdGroups).toBe(3);
  });
});

interface GoldenAdvantages {
  readonly cases: readonly {
    readonly rewards: readonly (readonly (number | null)[])[];
    readonly reward_weights: readonly number[];
    readonly scale_rewards: RewardScale;
    readonly num_generations: number;
    readonly advantages: readonly number[];
  }[];
}

describe('from several rewards, some missing', () => {
  const { cases } = readGoldenJson<GoldenAdvantages>('losses/advantages.json');

  it.each(cases.map((golden, index) => ({ index, ...golden })))(
    'advantages equal TRL’s (case $index: $scale_rewards, groups of $num_generations, weights $reward_weights)',
    async ({ rewards, reward_weights, scale_rewards, num_generations, advantages }) => {
      const scorer = createRewardScorer(
        reward_weights.map((weight, column) => ({
          name: `r${column}`,
          source: '',
          weight,
          score: () => rewards.map((row) => row[column]!),
        })),
      );
      const completions = rewards.map(() => '');
      const { verdicts } = await scorer.score({
        prompts: completions,
        completions,
        columns: {},
        completionIds: completions.map(() => new Int32Array()),
      });
      const totals = verdicts.map((verdict) => (verdict.kind === 'scored' ? verdict.reward : null));
      const groups = Array.from({ length: totals.length / num_generations }, (_, group) =>
        totals.slice(group * num_generations, (group + 1) * num_generations),
      );
      const ours = groupAdvantages(groups, scale_rewards).advantages.flat();
      // TRL keeps a completion without a verdict in the batch, with advantage 0; here it has none.
      expect(ours).toEqual(
        advantages.map((value, index) => (totals[index] === null ? null : expect.closeTo(value, 5))),
      );
    },
  );
});

describe('the Wilson interval', () => {
  it('agrees with published values and stays within [0, 1]', () => {
    expect(wilsonInterval(8, 10)).toEqual([expect.closeTo(0.4902, 4), expect.closeTo(0.9433, 4)]);
    expect(wilsonInterval(0, 20)).toEqual([0, expect.closeTo(0.1611, 4)]);
    expect(wilsonInterval(20, 20)).toEqual([expect.closeTo(0.8389, 4), 1]);
    expect(wilsonInterval(0, 0)).toEqual([0, 1]);
  });
});
