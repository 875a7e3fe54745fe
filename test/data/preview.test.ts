import { expect, test } from 'vitest';
import { formatPreview } from '../../src/data/index.js';
import { smallTokenizer } from './support.js';

const tokenizer = smallTokenizer();
const [hi, end] = [tokenizer.encode('H')[0]!, tokenizer.eos!.id];
const example = {
  tokens: Int32Array.from([hi, hi, 0, end]),
  trained: Uint8Array.from([0, 1, 1, 1]),
  origin: { file: 'rows.jsonl', line: 3, dataset: 0 },
};

test('every token stands with its label and id, masked ones red, trained ones green, id 0 yellow', () => {
  const white = (text: string) => `\u001b[37m${text}\u001b[0m`;
  expect(formatPreview(example, tokenizer)).toBe(
    `${[
      `\u001b[31mH\u001b[0m${white(`(-100, ${hi})`)}`,
      `\u001b[32mH\u001b[0m${white(`(${hi}, ${hi})`)}`,
      `\u001b[33m<|endoftext|>\u001b[0m${white('(0, 0)')}`,
      `\u001b[32m<|im_end|>\u001b[0m${white(`(${end}, ${end})`)}`,
    ].join(' ')}\n\nrows.jsonl:3: 4 tokens, 3 labels`,
  );
});

test('text only, without colours', () => {
  expect(formatPreview(example, tokenizer, { textOnly: true, color: false })).toBe(
    'HH<|endoftext|><|im_end|>\n\nrows.jsonl:3: 4 tokens, 3 labels',
  );
});
