import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/gym/value.js';
import { type Comparator, compare } from '../../src/gym/verify/compare.js';
import { anyValue } from './any-value.js';

const exact: Comparator = { kind: 'exact' };
const structural: Comparator = { kind: 'structural' };
const near: Comparator = { kind: 'numeric', relative: 1e-9, absolute: 1e-12 };
const unordered = (depth: number): Comparator => ({ kind: 'unordered', depth });
const all = [exact, structural, near, unordered(1), unordered(2)];
const equal = (comparator: Comparator, a: Value, b: Value) => compare(comparator, a, b) === null;

describe('comparators', () => {
  it('are reflexive', () => {
    fc.assert(
      fc.property(anyValue, (value) => all.every((comparator) => equal(comparator, value, structuredClone(value)))),
    );
  });

  it('are symmetric, but for the tolerance, which is relative to what was expected', () => {
    const symmetric = all.filter((comparator) => comparator !== near);
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => symmetric.every((one) => equal(one, a, b) === equal(one, b, a))),
    );
  });

  it('grow more lenient: what is exact is structural, what is structural is numeric and unordered', () => {
    // Small values, so that equal pairs come up.
    const small = fc.oneof(
      fc.constantFrom<Value>(0, 1, true, { f: '0.0' }, { f: '-0.0' }, { f: '1.0' }, { f: 'nan' }, 'a', null),
      fc.array(fc.constantFrom<Value>(0, 1, { f: '1.0' }), { maxLength: 2 }),
      fc.array(fc.constantFrom<Value>(0, 1, { f: '1.0' }), { maxLength: 2 }).map((t) => ({ t })),
      fc.array(fc.constantFrom<Value>(0, 1, { f: '1.0' }), { maxLength: 2 }).map((s) => ({ s })),
    );
    fc.assert(
      fc.property(small, small, (a, b) => {
        if (equal(exact, a, b)) expect(equal(structural, a, b)).toBe(true);
        if (equal(structural, a, b)) for (const one of [near, unordered(1)]) expect(equal(one, a, b)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('unordered does not see a permutation', () => {
    const shuffled = fc
      .array(anyValue, { maxLength: 6 })
      .chain((list) => fc.shuffledSubarray(list, { minLength: list.length }).map((other) => [list, other] as const));
    fc.assert(fc.property(shuffled, ([list, other]) => equal(unordered(1), list, other)));
    expect(equal(unordered(1), [[1, 2], [3]], [[3], [1, 2]])).toBe(true);
    expect(equal(unordered(1), [[2, 1], [3]], [[3], [1, 2]])).toBe(false);
    expect(equal(unordered(2), [[2, 1], [3]], [[3], [1, 2]])).toBe(true);
    expect(equal(unordered(1), [1, 1, 2], [1, 2, 2])).toBe(false);
    expect(equal(unordered(1), { t: [1, { f: '2.0' }] }, [2, 1])).toBe(true);
    expect(equal(unordered(1), { d: [['a', [1, 2]]] }, { d: [['a', [2, 1]]] })).toBe(true);
  });

  it.each<[string, Value, Value, boolean, boolean]>([
    ['NaN', { f: 'nan' }, { f: 'nan' }, true, true],
    ['−0 and 0.0', { f: '-0.0' }, { f: '0.0' }, false, true],
    ['1 and 1.0', 1, { f: '1.0' }, false, true],
    ['True and 1', true, 1, false, false],
    ['False and 0.0', false, { f: '0.0' }, false, false],
    ['a tuple and a list', { t: [1, 2] }, [1, 2], false, true],
    ['a text and a list', 'ab', ['a', 'b'], false, false],
    ['"1" and 1', '1', 1, false, false],
    ['None and 0', null, 0, false, false],
    ['2^53 + 1 and the float nearest to it', { i: '9007199254740993' }, { f: '9007199254740992.0' }, false, false],
    ['2^60 and that float', { i: '1152921504606846976' }, { f: '1.152921504606847e+18' }, false, true],
    ['an int however it is written', { i: '5' }, 5, true, true],
    ['infinity', { f: 'inf' }, { f: '-inf' }, false, false],
    ['sets in another order', { s: [1, 2, 'a'] }, { s: ['a', 2, 1] }, true, true],
    ['sets of another type', { s: [{ f: '1.0' }] }, { s: [1] }, false, true],
    ['a set that is sent with an item twice', { s: [1, 1] }, { s: [1] }, true, true],
    ['a set and a list', { s: [1] }, [1], false, false],
    [
      'dicts in another order',
      {
        d: [
          ['a', 1],
          ['b', [2]],
        ],
      },
      {
        d: [
          ['b', [2]],
          ['a', 1],
        ],
      },
      true,
      true,
    ],
    [
      'dicts with a key more',
      {
        d: [
          ['a', 1],
          ['b', 2],
        ],
      },
      { d: [['a', 1]] },
      false,
      false,
    ],
    ['keys True and 1', { d: [[true, 1]] }, { d: [[1, 1]] }, false, false],
    ['bytes and a text', { b: 'YQ==' }, 'a', false, false],
    ['texts that look like keys', ['1,2'], [1, 2], false, false],
  ])('decide %s', (_name, a, b, isExact, isStructural) => {
    expect(equal(exact, a, b)).toBe(isExact);
    expect(equal(structural, a, b)).toBe(isStructural);
    expect(equal(unordered(1), [a], [b])).toBe(isStructural);
  });

  it('allow for rounding where they are told to', () => {
    expect(equal(near, { f: '0.30000000000000004' }, { f: '0.3' })).toBe(true);
    expect(equal(near, { f: '0.3001' }, { f: '0.3' })).toBe(false);
    expect(equal(near, { f: 'inf' }, { f: '1e308' })).toBe(false);
    expect(equal(near, { f: 'nan' }, { f: '1.0' })).toBe(false);
    expect(equal({ kind: 'numeric', relative: 1, absolute: 1 }, { f: 'inf' }, { f: '-inf' })).toBe(false);
    expect(equal(near, true, { f: '1.0' })).toBe(false);
    expect(equal(near, { s: [{ f: '0.30000000000000004' }, 1] }, { s: [1, { f: '0.3' }] })).toBe(true);
    expect(equal(near, { d: [['x', [{ f: '1.0000000000001' }]]] }, { d: [['x', [1]]] })).toBe(true);
  });

  it('say what is different', () => {
    expect(compare(structural, [1, 2, [3]], [1, 2, [4]])).toBe('at [2][0]: 3, expected 4');
    expect(compare(exact, { t: [1] }, [1])).toBe('wrong type: tuple for list');
    expect(compare(exact, [1], [{ f: '1.0' }])).toBe('at [0]: wrong type: int for float');
    expect(compare(structural, [1], [1, 2])).toBe('1 item, expected 2');
    expect(compare(structural, { d: [['a', 1]] }, { d: [['a', 'x']] }, 'javascript')).toBe(
      "at ['a']: wrong type: number for string",
    );
    expect(compare(structural, { d: [] }, { d: [['a', 1]] })).toBe("no key 'a'");
    expect(compare(unordered(1), [5, 2], [2, 1])).toBe('5 is not among what was expected, or too often');
    expect(compare(structural, null, 1)).toBe('wrong type: None for int');
  });

  it('bear large and deep values', () => {
    const many: Value[] = Array.from({ length: 100_000 }, (_, index) => [index % 1000, { f: `${index}.5` }]);
    const reversed = [...many].reverse();
    expect(equal(unordered(1), many, reversed)).toBe(true);
    expect(equal(structural, many, [...many])).toBe(true);
    expect(compare(structural, many, reversed)).toContain('at [0][0]');
    expect(equal(exact, { s: many }, { s: reversed })).toBe(true);
    const deep = (levels: number): Value => {
      let value: Value = 1;
      for (let level = 0; level < levels; level++) value = [value];
      return value;
    };
    expect(equal(structural, deep(2000), deep(2000))).toBe(true);
    expect(equal(unordered(3), deep(2000), deep(2001))).toBe(false);
    // What a hostile answer may return.
    for (const comparator of all) expect(equal(comparator, deep(500_000), deep(500))).toBe(false);
    expect(equal(unordered(1), [deep(500_000)], [1])).toBe(false);
  });
});
