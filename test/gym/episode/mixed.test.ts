import { describe, expect, it } from 'vitest';
import { mixedEnvironments } from '../../../src/gym/episode/index.js';
import { testEnvironment } from '../make-environment.js';

const named = (name: string) => testEnvironment({ name });

describe('a mixture of environments', () => {
  const parts = [{ environment: named('a'), weight: 3 }, { environment: named('b') }];

  it('draws by the weights', () => {
    const drawn = mixedEnvironments(parts, 7).batch(4000);
    const share = drawn.filter(({ name }) => name === 'a').length / drawn.length;
    expect(share).toBeGreaterThan(0.72);
    expect(share).toBeLessThan(0.78);
  });

  it('draws the same for the same seed, one by one or in a batch', () => {
    const names = (seed: number) =>
      mixedEnvironments(parts, seed)
        .batch(50)
        .map(({ name }) => name);
    const one = mixedEnvironments(parts, 7);
    expect(names(7)).toEqual(Array.from({ length: 50 }, () => one.next().name));
    expect(names(7)).not.toEqual(names(8));
  });

  it('refuses what cannot be drawn from', () => {
    expect(() => mixedEnvironments([])).toThrow('at least one');
    for (const weight of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => mixedEnvironments([{ environment: named('a'), weight }])).toThrow('the weight of a');
    }
  });
});
