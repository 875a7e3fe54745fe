import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitRows } from '../../src/data/split.js';

const upTo = (n: number) => Array.from({ length: n }, (_, index) => index);

describe('train and evaluation rows', () => {
  test.each([
    [200, 100, 100],
    [200, 1, 1],
    [200, 0.1, 20],
    [30, 0.1, 3],
    [5, 0.01, 1],
    [200, 0, 0],
  ])('of %d rows val_set_size %d sets %d aside', (rows, size, expected) => {
    const split = splitRows(upTo(rows), size, 42, true, []);
    expect(split.eval).toHaveLength(expected);
    expect(split.train).toHaveLength(rows - expected);
  });

  test('every row lands on one side, the same for the same seed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 80 }), fc.double({ min: 0, max: 0.5 }), fc.nat(99), (rows, size, seed) => {
        const split = splitRows(upTo(rows), size, seed, true, []);
        expect([...split.train, ...split.eval].sort((left, right) => left - right)).toEqual(upTo(rows));
        expect(splitRows(upTo(rows), size, seed, true, [])).toEqual(split);
      }),
    );
  });

  test('evaluation takes the tail, without a shuffle of the files', () => {
    expect(splitRows(upTo(5), 2, 42, false, [])).toEqual({ train: [0, 1, 2], eval: [3, 4] });
    expect(splitRows(upTo(50), 10, 1, true, [])).not.toEqual(splitRows(upTo(50), 10, 2, true, []));
  });

  test.each([
    [80, 100],
    [1, 1],
    [1, 0.5],
  ])('%d rows with val_set_size %d leave nothing to train on', (rows, size) => {
    expect(() => splitRows(upTo(rows), size, 42, true, [])).toThrow(`val_set_size ${size}`);
  });

  test('the error tells which rows could not be used', () => {
    const first = [{ origin: { file: 'a.jsonl', line: 7, dataset: 0 }, reason: 'too long: 9 tokens' }];
    const dropped = [{ reason: 'too long', count: 500, first }];
    expect(() => splitRows([1], 1, 42, true, dropped)).toThrow(/500 × too long\n +a\.jsonl:7 +9 tokens/);
  });
});
