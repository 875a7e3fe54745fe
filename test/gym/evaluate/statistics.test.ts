import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { meanInterval, passAtK, wilson } from '../../../src/gym/evaluate/index.js';
import { studentQuantile } from '../../../src/gym/evaluate/statistics.js';

describe('passAtK', () => {
  it.each([
    [10, 3, 1, 0.3],
    [10, 3, 5, 11 / 12],
    [100, 1, 10, 0.1],
    [5, 0, 5, 0],
    [5, 5, 1, 1],
    [5, 1, 5, 1],
    [200, 20, 100, 1 - 8.247338e-8],
  ])('%i answers, %i passed, k = %i', (n, c, k, value) => {
    expect(passAtK(n, c, k)).toBeCloseTo(value, 6);
  });

  it('is what drawing k of the n answers gives', () => {
    const choose = (n: number, k: number): number => (k === 0 ? 1 : (choose(n - 1, k - 1) * n) / k);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(30), fc.nat(30), (n, c, k) => {
        const passed = c % (n + 1);
        const drawn = 1 + (k % n);
        const none = n - passed < drawn ? 0 : choose(n - passed, drawn) / choose(n, drawn);
        expect(passAtK(n, passed, drawn)).toBeCloseTo(1 - none, 10);
      }),
    );
  });

  it('refuses more than there are', () => expect(() => passAtK(3, 1, 4)).toThrow('pass@4'));
});

// Known values: R's binom.confint(method = "wilson"), and scipy.stats.t.
describe('wilson', () => {
  it.each([
    [0, 10, 0, 0.2775],
    [1, 10, 0.7225, 1],
    [0.5, 10, 0.2366, 0.7634],
    [0.8, 20, 0.584, 0.9193],
    [0.5, 1, 0.0546, 0.9454],
  ])('%d of %i', (rate, n, low, high) => {
    const interval = wilson(rate, n);
    expect(interval.value).toBe(rate);
    expect(interval.low).toBeCloseTo(low, 3);
    expect(interval.high).toBeCloseTo(high, 3);
  });
});

describe('meanInterval', () => {
  it('is Student’s', () => {
    const { value, low, high } = meanInterval([0.2, 0.4, 0.6, 0.8]);
    expect(value).toBeCloseTo(0.5, 12);
    // 3.1824 · 0.2582 / 2
    expect(low).toBeCloseTo(0.0892, 4);
    expect(high).toBeCloseTo(0.9108, 4);
  });

  it('stays inside the range, and says nothing for one score', () => {
    expect(meanInterval([0, 1])).toEqual({ value: 0.5, low: 0, high: 1 });
    expect(meanInterval([0.7])).toEqual({ value: 0.7, low: 0, high: 1 });
    expect(meanInterval([1, 1, 1])).toEqual({ value: 1, low: 1, high: 1 });
  });

  it.each([
    [1, 12.7062],
    [4, 2.7764],
    [15, 2.1314],
    [16, 2.1199],
    [30, 2.0423],
    [100, 1.984],
    [10_000, 1.9602],
  ])('the quantile for %i degrees of freedom', (freedom, quantile) => {
    expect(studentQuantile(freedom)).toBeCloseTo(quantile, 3);
  });
});
