import { expect, test } from 'vitest';
import { countTrained, sftBatch } from '../../src/methods/index.js';

const example = (tokens: number[], trained: number[], line: number) => ({
  tokens: Int32Array.from(tokens),
  trained: Uint8Array.from(trained),
  origin: { file: 'rows.jsonl', line, dataset: 0 },
});

test('position t predicts token t + 1; trained tokens weigh 1 / the trained tokens of the step', () => {
  const examples = [example([5, 6, 7, 8], [0, 0, 1, 1], 1), example([9, 4], [0, 1], 2)];
  expect(countTrained(examples)).toBe(3);
  const batch = sftBatch(examples, 4);
  expect(batch.sequences.map(({ tokens, targets, wanted }) => [[...tokens], [...targets], [...wanted]])).toEqual([
    [
      [5, 6, 7],
      [6, 7, 8],
      [0, 1, 1],
    ],
    [[9], [4], [1]],
  ]);
  expect(batch.inputs.weights!.map((weights) => [...weights])).toEqual([[0, 0.25, 0.25], [0.25]]);
});

test('a batch without a trained token is an error that names its rows', () => {
  const examples = [example([5, 6], [0, 0], 3), example([7, 8], [0, 0], 9)];
  expect(() => sftBatch(examples, 4)).toThrow(
    'No token of a batch carries loss. Its rows: rows.jsonl:3, rows.jsonl:9.',
  );
});
