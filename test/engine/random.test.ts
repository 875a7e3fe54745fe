import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dropoutPool } from '../../src/engine/local/dropout.js';
import { uniform } from '../../src/engine/local/random.js';

const seed = fc.oneof(fc.nat(), fc.integer(), fc.constantFrom(0, 1, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1));

describe('uniform', () => {
  it('is in [0, 1) and depends on nothing but seed and position', () => {
    fc.assert(
      fc.property(seed, fc.nat(100_000), (s, position) => {
        const u = uniform(s, position);
        expect(u).toBeGreaterThanOrEqual(0);
        expect(u).toBeLessThan(1);
        expect(uniform(s, position)).toBe(u);
      }),
    );
  });

  it('gives other draws for another seed, its upper half included, and for another position', () => {
    const seen = new Set<number>();
    for (const s of [0, 1, 2, 3, 2 ** 32, 2 ** 32 + 1, 2 ** 40]) {
      for (let position = 0; position < 1000; position++) seen.add(uniform(s, position));
    }
    expect(seen.size).toBe(7 * 1000);
  });

  // 99.99th percentile of χ² with 99 degrees of freedom is 161.
  it.each([
    ['over the positions of a seed', (i: number) => uniform(42, i)],
    ['over neighbouring seeds at their first position', (i: number) => uniform(i, 0)],
    ['over the difference of neighbouring seeds', (i: number) => (1 + uniform(i, 3) - uniform(i + 1, 3)) % 1],
    ['over the difference of neighbouring positions', (i: number) => (1 + uniform(9, i) - uniform(9, i + 1)) % 1],
  ])('is even %s', (_, at) => {
    const counts = new Array<number>(100).fill(0);
    for (let i = 0; i < 20_000; i++) counts[Math.floor(at(i) * 100)]!++;
    const chi = counts.reduce((total, count) => total + (count - 200) ** 2 / 200, 0);
    expect(chi).toBeLessThan(161);
  });
});

describe('dropoutPool', () => {
  it('keeps the mean: a share p is 0 and the rest is 1 / (1 − p)', () => {
    const pool = dropoutPool(100_000, 0.2, 7, 3);
    expect([...new Set(pool)].sort()).toEqual([0, Math.fround(1.25)]);
    const dropped = pool.filter((factor) => factor === 0).length / pool.length;
    // Five standard deviations.
    expect(Math.abs(dropped - 0.2)).toBeLessThan(5 * Math.sqrt((0.2 * 0.8) / pool.length));
  });

  it('follows from seed and draw', () => {
    expect(dropoutPool(64, 0.5, 1, 2)).toEqual(dropoutPool(64, 0.5, 1, 2));
    expect(dropoutPool(64, 0.5, 1, 2)).not.toEqual(dropoutPool(64, 0.5, 1, 3));
    expect(dropoutPool(64, 0.5, 1, 2)).not.toEqual(dropoutPool(64, 0.5, 2, 2));
    expect(new Set(dropoutPool(1000, 0.5, 0, 0)).size).toBe(2);
  });
});
