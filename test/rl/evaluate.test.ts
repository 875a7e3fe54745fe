import { describe, expect, it } from 'vitest';
import { createRewardScorer, evaluateRewards, loadRewards, scoreGroups } from '../../src/rl/index.js';
import { generateGroups, preparePrompt } from '../../src/rollout/index.js';
import { characterTokenizer, fakeEngine, samplingParams } from '../rollout/fakes.js';

const prompts = ['1+1', '2+2', '3+3', 'odd'].map((question, index) =>
  preparePrompt(characterTokenizer, {
    id: question,
    prompt: question,
    columns: index === 3 ? { answer: 'none' } : { answer: String(2 * (index + 1)) },
  }),
);
const gsm8kScorer = async () =>
  createRewardScorer(await loadRewards(['gsm8k', { name: 'length', max: 6 }], { baseDir: '.', weights: [1, 0.5] }));

describe('scoring groups', () => {
  it('joins each rollout with its verdict, rewards and advantage', async () => {
    const engine = fakeEngine((_, __, index) =>
      index === 2 ? { text: '', finishReason: 'aborted' } : { text: `#### ${index}</s>` },
    );
    const groups = await generateGroups(engine, characterTokenizer, prompts.slice(1, 2), {
      numGenerations: 5,
      params: samplingParams,
      seed: 1,
      step: 1,
    });
    const { groups: scored } = await scoreGroups(await gsm8kScorer(), groups, { scale: 'none' });
    const [members] = scored;
    expect(members!.map(({ verdict }) => verdict)).toEqual([
      { kind: 'scored', reward: 0 },
      { kind: 'scored', reward: 0 },
      { kind: 'noVerdict', cause: 'sampling was aborted' },
      { kind: 'scored', reward: 0 },
      { kind: 'scored', reward: 1 },
    ]);
    expect(members!.map(({ advantage }) => advantage)).toEqual([-0.25, -0.25, null, -0.25, 0.75]);
    expect(members![4]!.rewards).toEqual({ gsm8k: 1, length: 0 });
    expect(members![2]!.rewards).toEqual({ gsm8k: null, length: null });
  });
});

describe('evaluation', () => {
  it('counts as correct what the first reward gives 1, among what it judged', async () => {
    const engine = fakeEngine((prompt) =>
      prompt.includes('3')
        ? { text: '#### 7', finishReason: 'length' }
        : { text: prompt.includes('1') ? '#### 2' : '#### 4' },
    );
    const result = await evaluateRewards(engine, characterTokenizer, prompts, await gsm8kScorer(), {
      params: { ...samplingParams, temperature: 0 },
      seed: 1,
      step: 0,
    });
    expect(result.accuracy).toEqual({
      correct: 2,
      total: 3,
      value: 2 / 3,
      low: expect.closeTo(0.2077, 4),
      high: expect.closeTo(0.9385, 4),
    });
    expect(result.rewards).toEqual({ gsm8k: 2 / 3, length: 1 });
    expect(result.reward).toBe((1.5 + 1.5 + 0.5 + 0.5) / 4);
    expect([result.noVerdict, result.truncated, result.trajectories.length]).toEqual([0, 1, 4]);
  });

  it('claims nothing where nothing was judged', async () => {
    const engine = fakeEngine(() => ({ text: 'x</s>' }));
    const scorer = createRewardScorer(await loadRewards(['gsm8k'], { baseDir: '.' }));
    const result = await evaluateRewards(engine, characterTokenizer, prompts.slice(3), scorer, {
      params: samplingParams,
      seed: 1,
      step: 0,
    });
    expect(result).toMatchObject({
      reward: null,
      rewards: { gsm8k: null },
      noVerdict: 1,
      accuracy: { value: null, low: 0, high: 1 },
    });
  });
});
