import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SamplingParams } from '../../src/engine/index.js';
import { drawToken, keepTokens, penalize } from '../../src/engine/local/draw.js';
import { plainSampling } from './conformance.js';
import { referenceDistribution } from './reference-sampling.js';

const softmax = (logits: readonly number[], temperature: number): Float32Array => {
  const scaled = logits.map((logit) => logit / (temperature || 1));
  const largest = Math.max(...scaled);
  const weights = scaled.map((logit) => Math.exp(logit - largest));
  const total = weights.reduce((a, b) => a + b, 0);
  return Float32Array.from(weights, (weight) => weight / total);
};

/** What the sampler does with a row of logits. */
function draw(logits: readonly number[], params: SamplingParams, seen: readonly number[], u: number) {
  const p = softmax(logits, params.temperature);
  if (params.repetitionPenalty !== 1) {
    penalize(p, Float32Array.from(logits), new Set(seen), params.repetitionPenalty, params.temperature);
  }
  return drawToken(p, params, u);
}

const params: fc.Arbitrary<SamplingParams> = fc.record({
  maxTokens: fc.constant(1),
  temperature: fc.constantFrom(0.5, 1, 1.7),
  topP: fc.constantFrom(1, 0.95, 0.6, 0.2),
  topK: fc.constantFrom(0, 0, 1, 3, 8, 100),
  minP: fc.constantFrom(0, 0, 0.05, 0.4),
  repetitionPenalty: fc.constantFrom(1, 1, 1.3, 0.8),
  stopTokens: fc.constant([]),
  stopStrings: fc.constant([]),
});

/** Distinct logits, so that no cut falls between equals. */
const logits = fc
  .array(fc.integer({ min: -500, max: 500 }), { minLength: 1, maxLength: 40 })
  .map((values) => [...new Set(values)].map((value, i) => value / 100 + i * 1e-4));

describe('drawing a token', () => {
  it('splits [0, 1) among the tokens that the cuts keep, by their probabilities', () => {
    fc.assert(
      fc.property(logits, params, fc.array(fc.nat(39), { maxLength: 5 }), (row, given, numbers) => {
        const seen = numbers.filter((token) => token < row.length);
        const expected = referenceDistribution(row, given, seen);
        fc.pre(!expected.close);
        let start = 0;
        expected.probabilities.forEach((probability, token) => {
          if (probability === 0) return;
          for (const part of [0.01, 0.5, 0.99]) {
            const drawn = draw(row, given, seen, start + part * probability);
            if (probability > 1e-4) expect(drawn.token).toBe(token);
            if (drawn.token === token) expect(drawn.probability).toBeCloseTo(probability, 5);
          }
          start += probability;
        });
        for (const u of [0, 0.123, 0.999_999_999_999]) {
          expect(expected.probabilities[draw(row, given, seen, u).token]).toBeGreaterThan(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('takes the most probable token at temperature 0, the first of equals', () => {
    const greedy = { ...plainSampling, temperature: 0 };
    expect(drawToken(Float32Array.of(0.1, 0.45, 0.45), greedy, 0.99)).toEqual({ token: 1, probability: 1 });
    expect(draw([1, 3, 2.9], { ...greedy, repetitionPenalty: 1.2 }, [1], 0.5).token).toBe(2);
    expect(draw([-1, -3, -2.9], { ...greedy, repetitionPenalty: 4 }, [0], 0.5).token).toBe(2);
  });

  it('reaches a token that only the penalty lifts out of nothing', () => {
    const cold = { ...plainSampling, temperature: 0.02, repetitionPenalty: 1.5 };
    expect(draw([20, 15, 1], cold, [0], 0.5).token).toBe(1);
  });

  it('counts topP against what topK left, however flat the rest is', () => {
    const p = Float32Array.from({ length: 1000 }, (_, i) => (i < 10 ? 0.091 : 0.09 / 990));
    const first = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    expect(keepTokens(p, { ...plainSampling, topK: 1000, topP: 0.9 })).toEqual(first);
    expect(keepTokens(p, { ...plainSampling, topP: 0.9 })).toEqual(first);
    expect(keepTokens(p, { ...plainSampling, topK: 10, topP: 0.5 })).toEqual([0, 1, 2, 3, 4]);
  });

  it('keeps one token however tight the cuts', () => {
    const p = Float32Array.of(0.2, 0.5, 0.3);
    expect(keepTokens(p, { ...plainSampling, topP: 0 })).toEqual([1]);
    expect(keepTokens(p, { ...plainSampling, topK: 1, minP: 1 })).toEqual([1]);
  });

  it('refuses a distribution that is not a number', () => {
    const p = Float32Array.of(0.5, Number.NaN);
    expect(() => drawToken(p, plainSampling, 0.9)).toThrow(/not a number/);
    expect(() => drawToken(p, { ...plainSampling, topP: 0.9 }, 0.9)).toThrow(/not a number/);
    expect(() => drawToken(Float32Array.of(Number.NaN, 1), { ...plainSampling, temperature: 0 }, 0)).toThrow(
      /not a number/,
    );
  });
});
