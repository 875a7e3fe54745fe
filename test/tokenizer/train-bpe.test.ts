import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtinChatTemplate, createTokenizer, newTokenizerFiles, trainBpe } from '../../src/tokenizer/index.js';
import type { ComponentJson } from '../../src/tokenizer/tokenizer-json.js';

const golden: {
  readonly texts: string[];
  readonly cases: {
    vocabSize: number;
    minFrequency: number;
    preTokenizer: ComponentJson;
    vocab: string[];
    merges: string[];
  }[];
} = JSON.parse(readFileSync(join(import.meta.dirname, '../golden/tokenizers/training.json'), 'utf8'));

test.each(golden.cases)(
  "learns the merges of Python's BpeTrainer: $vocabSize ids, at least $minFrequency times",
  (item) => {
    const json = trainBpe({ texts: golden.texts, specialTokens: ['<|end|>', '<|pad|>'], ...item });
    expect(Object.keys(json.model.vocab)).toHaveLength(item.vocab.length);
    expect(item.vocab.map((token) => json.model.vocab[token])).toEqual(item.vocab.map((_, id) => id));
    expect(json.model.merges.map((pair) => (pair as [string, string]).join(' '))).toEqual(item.merges);
  },
);

test('a trained tokenizer gives back any text, and its special tokens and template work', () => {
  const json = trainBpe({ texts: ['some words, some more words'], vocabSize: 270, specialTokens: ['<eos>', '<pad>'] });
  const files = newTokenizerFiles({
    tokenizerJson: json,
    eosToken: '<eos>',
    padToken: '<pad>',
    chatTemplate: builtinChatTemplate('chatml'),
    modelMaxLength: 512,
  });
  expect([...files.keys()].sort()).toEqual(['chat_template.jinja', 'tokenizer.json', 'tokenizer_config.json']);
  const tokenizer = createTokenizer({
    tokenizerJson: JSON.parse(files.get('tokenizer.json')!),
    tokenizerConfig: JSON.parse(files.get('tokenizer_config.json')!),
    chatTemplate: files.get('chat_template.jinja')!,
  });
  expect(tokenizer.vocabSize).toBe(270);
  expect([tokenizer.eos, tokenizer.pad, tokenizer.bos]).toEqual([
    { id: 0, text: '<eos>' },
    { id: 1, text: '<pad>' },
    null,
  ]);
  for (const text of golden.texts) expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  expect(tokenizer.encode('word<eos>').at(-1)).toBe(0);
  expect(tokenizer.chatTemplate!.render([{ role: 'user', content: 'hi' }])).toBe('<|im_start|>user\nhi<|im_end|>\n');
});

test('says what does not fit', () => {
  expect(() => trainBpe({ texts: [], vocabSize: 100, specialTokens: ['<eos>'] })).toThrow(
    'a vocabulary of 100 is too small: 1 special tokens and the 256 bytes need 257.',
  );
  const json = trainBpe({ texts: [], vocabSize: 257, specialTokens: ['<eos>'] });
  expect(() => newTokenizerFiles({ tokenizerJson: json, eosToken: '</s>' })).toThrow('"</s>" is not a special token');
});
