import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asDeclared, isValue, showValue, toPlain, toValue, type Value } from '../../src/gym/value.js';
import { anyValue } from './any-value.js';

describe('values', () => {
  it('are read from plain JSON as it is', () => {
    expect(toValue({ a: [1, 1.5, -0, 1e300, null, true, 'x'] })).toEqual({
      d: [['a', [1, { f: '1.5' }, { f: '-0.0' }, { f: '1e+300' }, null, true, 'x']]],
    });
    expect(toValue(2n ** 70n)).toEqual({ i: '1180591620717411303424' });
    expect(toValue({ f: 'nan' })).toEqual({ f: 'nan' });
    expect(toValue({ f: 'of course' })).toEqual({ d: [['f', 'of course']] });
  });

  it('are read by their declared type', () => {
    const int = { kind: 'int' } as const;
    const float = { kind: 'float' } as const;
    expect(toValue(1, float)).toEqual({ f: '1.0' });
    expect(toValue([1, 2], { kind: 'tuple', of: [int, float] })).toEqual({ t: [1, { f: '2.0' }] });
    expect(toValue([3, 1], { kind: 'set', of: int })).toEqual({ s: [3, 1] });
    expect(toValue({ 1: 'a', '-2': 'b' }, { kind: 'dict', key: int, value: { kind: 'str' } })).toEqual({
      d: [
        [1, 'a'],
        [-2, 'b'],
      ],
    });
    expect(toValue({ t: [1] }, { kind: 'dict', key: { kind: 'str' }, value: { kind: 'list', of: int } })).toEqual({
      d: [['t', [1]]],
    });
    expect(toValue(null, { kind: 'union', of: [int, { kind: 'none' }] })).toBeNull();
    expect(toValue(1e20, int)).toEqual({ i: '100000000000000000000' });
  });

  it('that do not fit are refused with their place', () => {
    const pairs = { kind: 'list', of: { kind: 'tuple', of: [{ kind: 'str' }, { kind: 'int' }] } } as const;
    expect(() =>
      toValue(
        [
          ['a', 1],
          ['b', 'two'],
        ],
        pairs,
      ),
    ).toThrow('at [1][1]: expected int, got "two"');
    expect(() => toValue(true, { kind: 'int' })).toThrow('expected int, got true');
    expect(() => toValue(Symbol('s'))).toThrow('expected any');
  });

  it('are shown as their language prints them', () => {
    const value: Value = {
      d: [
        ['a', { t: [1] }],
        ["it's", [null, true, { f: '-0.0' }, { f: 'inf' }]],
        ['s', { s: [] }],
      ],
    };
    expect(showValue(value)).toBe(`{'a': (1,), "it's": [None, True, -0.0, inf], 's': set()}`);
    expect(showValue(value, 'javascript')).toBe(`{a: [1], "it's": [null, true, -0, Infinity], s: Set {}}`);
    expect(showValue({ b: Buffer.from('hi\n').toString('base64') })).toBe("b'hi\\n'");
    expect(showValue({ i: '9007199254740993' }, 'typescript')).toBe('9007199254740993n');
  });

  it('are shown in at most 500 characters, whatever their size', () => {
    const wide: Value = Array.from({ length: 1_000_000 }, (_, index) => index);
    expect(showValue(wide)).toHaveLength(500);
    let deep: Value = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(showValue(deep).length).toBeLessThanOrEqual(500);
    expect(showValue('x'.repeat(10_000_000))).toHaveLength(500);
  });

  it('are recognised among what an answer may send', () => {
    fc.assert(fc.property(anyValue, (value) => isValue(JSON.parse(JSON.stringify(value)))));
    const wrong = [
      1.5,
      -0,
      { f: 'x' },
      { i: '1.0' },
      { t: 1 },
      { d: [[1]] },
      {},
      { f: '1.0', i: '1' },
      [[{ b: '!' }]],
      undefined,
    ];
    for (const json of wrong) expect(isValue(json)).toBe(false);
    let deep: unknown = 1;
    for (let level = 0; level < 1_000_000; level++) deep = [deep];
    expect(isValue(deep)).toBe(false);
  });

  it('are no larger than what a checker can be given', () => {
    let deep: Value = 1;
    for (let level = 0; level < 200; level++) deep = level % 2 ? { d: [[1, deep]] } : [deep];
    expect(isValue(deep)).toBe(true);
    for (let level = 0; level < 10; level++) deep = [deep];
    expect(isValue(deep)).toBe(false);
    expect(isValue({ i: '9'.repeat(70_000) })).toBe(true);
    expect(isValue({ i: '9'.repeat(200_000) })).toBe(false);
    expect(isValue(new Array(10).fill({ i: '9'.repeat(70_000) }))).toBe(false);
    expect(isValue({ f: '9'.repeat(1000) })).toBe(false);
    expect(isValue(new Array(900_000).fill(1))).toBe(true);
    expect(isValue(new Array(1_100_000).fill(1))).toBe(false);
  });

  it('become plain JSON', () => {
    expect(toPlain({ d: [['a', { t: [1, { f: '2.5' }, { f: 'nan' }, { i: '12345678901234567890' }] }]] })).toEqual({
      a: [1, 2.5, 'nan', '12345678901234567890'],
    });
    expect(toPlain({ d: [[1, { s: ['x'] }]] })).toEqual([[1, ['x']]]);
    expect(Object.keys(toPlain({ d: [['__proto__', 1]] }) as object)).toEqual(['__proto__']);
    fc.assert(fc.property(anyValue, (value) => JSON.stringify(toPlain(value)) !== undefined));
  });

  it('get back from the declared type what JavaScript cannot say', () => {
    const int = { kind: 'int' } as const;
    const float = { kind: 'float' } as const;
    expect(asDeclared([[1, 2]], { kind: 'list', of: { kind: 'tuple', of: [int, float] } })).toEqual([
      { t: [1, { f: '2.0' }] },
    ]);
    expect(asDeclared({ d: [['1', 2]] }, { kind: 'dict', key: int, value: float })).toEqual({ d: [[1, { f: '2.0' }]] });
    expect(asDeclared({ f: '-0.0' }, int)).toBe(0);
    expect(asDeclared({ f: '1e+20' }, int)).toEqual({ i: '100000000000000000000' });
    expect(asDeclared('text', { kind: 'list', of: int })).toBe('text');
    expect(asDeclared(3, { kind: 'union', of: [{ kind: 'none' }, float] })).toEqual({ f: '3.0' });
  });
});
