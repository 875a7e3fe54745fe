import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDim, symbolsOf } from '../../src/graph/dim.js';
import {
  addDims,
  bindDim,
  type Dim,
  formatShape,
  multiplyDims,
  sameDim,
  sameShape,
  subtractDims,
  symbol,
} from '../../src/graph/index.js';

const names = ['A', 'B', 'C'];
const anyDim: fc.Arbitrary<Dim> = fc.letrec<{ dim: Dim }>((tie) => ({
  dim: fc.oneof(
    { maxDepth: 3 },
    fc.integer({ min: -3, max: 5 }),
    fc.constantFrom(...names).map(symbol),
    fc.tuple(tie('dim'), tie('dim')).map(([a, b]) => addDims(a, b)),
    fc.tuple(tie('dim'), tie('dim')).map(([a, b]) => subtractDims(a, b)),
    fc.tuple(tie('dim'), tie('dim')).map(([a, b]) => multiplyDims(a, b)),
  ),
})).dim;
const anyBindings = fc.record({ A: fc.integer({ min: -4, max: 9 }), B: fc.nat(9), C: fc.nat(9) });

const holds = (law: (a: Dim, b: Dim, c: Dim) => boolean): void => {
  fc.assert(fc.property(anyDim, anyDim, anyDim, law));
};

describe('sizes', () => {
  it('add and multiply as numbers do', () => {
    holds((a, b) => sameDim(addDims(a, b), addDims(b, a)));
    holds((a, b) => sameDim(multiplyDims(a, b), multiplyDims(b, a)));
    holds((a, b, c) => sameDim(addDims(a, addDims(b, c)), addDims(addDims(a, b), c)));
    holds((a, b, c) => sameDim(multiplyDims(a, multiplyDims(b, c)), multiplyDims(a, b, c)));
    holds((a, b, c) => sameDim(multiplyDims(a, addDims(b, c)), addDims(multiplyDims(a, b), multiplyDims(a, c))));
    holds((a, b) => sameDim(addDims(subtractDims(a, b), b), a));
    holds((a) => subtractDims(a, a) === 0 && multiplyDims(a, 0) === 0 && sameDim(multiplyDims(a, 1), a));
    expect([addDims(), multiplyDims()]).toEqual([0, 1]);
  });

  it('are equal when they are equal for every value of the symbols, and print alike', () => {
    fc.assert(
      fc.property(anyDim, anyDim, fc.array(anyBindings, { minLength: 40, maxLength: 40 }), (a, b, points) => {
        const equal = points.every((point) => bindDim(a, point) === bindDim(b, point));
        return sameDim(a, b) === equal && (formatDim(a) === formatDim(b)) === equal;
      }),
      { numRuns: 200 },
    );
    const [A, B] = names.map(symbol) as [Dim, Dim];
    const square = multiplyDims(addDims(A, B), addDims(A, B));
    expect(sameDim(square, addDims(multiplyDims(A, A), multiplyDims(2, A, B), multiplyDims(B, B)))).toBe(true);
    expect(sameShape([A, 2], [A, 2])).toBe(true);
    expect(sameShape([A, 2], [A])).toBe(false);
    expect(sameShape([A, B], [B, A])).toBe(false);
  });

  it('that come to a number are one', () => {
    holds((a, b) => {
      const difference = subtractDims(addDims(a, b, 3), addDims(b, a));
      return difference === 3;
    });
  });

  it('take values, at once or one after the other', () => {
    fc.assert(
      fc.property(anyDim, anyDim, anyBindings, (a, b, point) => {
        const value = (dim: Dim): number => bindDim(dim, point) as number;
        const { A, ...rest } = point;
        expect(value(addDims(a, b))).toBe(value(a) + value(b));
        expect(value(subtractDims(a, b))).toBe(value(a) - value(b));
        expect(value(multiplyDims(a, b)) - value(a) * value(b)).toBe(0);
        expect(bindDim(bindDim(a, { A }), rest)).toBe(value(a));
        expect(symbolsOf(bindDim(a, rest)).filter((name) => name !== 'A')).toEqual([]);
        expect(bindDim(a, {})).toEqual(a);
      }),
    );
  });

  it('print as polynomials', () => {
    const [A, B] = names.map(symbol) as [Dim, Dim];
    expect(formatShape([3, A, addDims(multiplyDims(2, B, A), 1), multiplyDims(A, A)])).toBe('[3, A, 1 + 2·A·B, A·A]');
    expect(formatShape([])).toBe('[]');
  });
});
