import { describe, expect, it } from 'vitest';
import { cutPasses, policySequence } from '../../src/rl/index.js';
import { trajectory } from './grpo-support.js';

describe('a trajectory as a training sequence', () => {
  it('predicts exactly the sampled tokens, with the sampler’s log-probabilities beside them', () => {
    const result = policySequence(trajectory({ prompt: [1, 2, 3], answer: [7, 8] }));
    expect([...result.sequence.tokens]).toEqual([1, 2, 3, 7]);
    expect([...result.sequence.targets]).toEqual([2, 3, 7, 8]);
    expect([...result.sequence.wanted]).toEqual([0, 0, 1, 1]);
    expect([...result.logprobs]).toEqual([0, 0, -1, -2]);
    expect([...result.samplingLogprobs]).toEqual([0, 0, -2, -3]);
    expect(result.length).toBe(2);
  });

  it('leaves what a tool wrote between two answers without loss', () => {
    const base = trajectory({ prompt: [1], answer: [2] });
    const spans = [
      ...base.spans,
      { kind: 'tool' as const, tokens: Int32Array.of(3, 4) },
      { kind: 'assistant' as const, tokens: Int32Array.of(5), logprobs: Float32Array.of(-9) },
    ];
    const result = policySequence({ ...base, spans });
    expect([...result.sequence.targets]).toEqual([2, 3, 4, 5]);
    expect([...result.sequence.wanted]).toEqual([1, 0, 0, 1]);
    expect([...result.logprobs]).toEqual([-1, 0, 0, -9]);
    expect(result.length).toBe(2);
  });
});

describe('passes', () => {
  const sized = (length: number) => policySequence(trajectory({ prompt: [1], answer: new Array(length).fill(2) }));

  it('hold every sequence once and stay within the tokens, the longest counted for all of a pass', () => {
    const sequences = [3, 9, 1, 4, 4, 8, 2].map(sized);
    const passes = cutPasses(sequences, 12);
    expect(passes.flat()).toHaveLength(7);
    expect(new Set(passes.flat())).toEqual(new Set(sequences));
    for (const pass of passes) {
      const longest = Math.max(...pass.map(({ sequence }) => sequence.tokens.length));
      expect(longest * pass.length).toBeLessThanOrEqual(12);
    }
  });

  it('give a sequence that is too long a pass of its own', () => {
    expect(cutPasses([30, 2, 2].map(sized), 10).map((pass) => pass.length)).toEqual([1, 2]);
  });
});
