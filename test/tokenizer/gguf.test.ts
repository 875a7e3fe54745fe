import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTokenizer, tokenizerFromGguf } from '../../src/tokenizer/index.js';
import type { TokenizerJson } from '../../src/tokenizer/tokenizer-json.js';

const GOLDEN = join(import.meta.dirname, '../golden/tokenizers');
const read = (path: string) => JSON.parse(readFileSync(join(GOLDEN, path), 'utf8'));

/** The metadata that a GGUF file of a golden tokenizer would hold. */
function metadataOf(family: string, model: 'gpt2' | 'llama', pre?: string): Map<string, unknown> {
  const json: TokenizerJson = read(`${family}/tokenizer.json`);
  const tokens = Object.entries(json.model.vocab)
    .sort(([, a], [, b]) => a - b)
    .map(([token]) => token);
  const special = new Set((json.added_tokens ?? []).filter((token) => token.special).map((token) => token.id));
  const isByte = (token: string) => model === 'llama' && /^<0x..>$/.test(token);
  return new Map<string, unknown>([
    ['tokenizer.ggml.model', model],
    ['tokenizer.ggml.tokens', tokens],
    ['tokenizer.ggml.token_type', Int32Array.from(tokens, (t, id) => (special.has(id) ? 3 : isByte(t) ? 6 : 1))],
    ['tokenizer.ggml.eos_token_id', tokens.indexOf(model === 'llama' ? '</s>' : '<|end|>')],
    ['tokenizer.ggml.bos_token_id', tokens.indexOf(model === 'llama' ? '<s>' : '<|begin|>')],
    ...(pre === undefined ? [] : [['tokenizer.ggml.pre', pre] as const]),
    ...(model === 'llama'
      ? ([
          ['tokenizer.ggml.scores', Float32Array.from(tokens, (_, id) => -id)],
          ['tokenizer.ggml.unknown_token_id', 0],
        ] as const)
      : ([
          ['tokenizer.ggml.merges', json.model.merges.map((m) => (typeof m === 'string' ? m : m.join(' ')))],
        ] as const)),
  ]);
}

// Tokens that stand outside of a GGUF's vocabulary in the golden tokenizers.
const ADDED = /<mask>|<tail>|<word>|<\/?tool>/;

describe.each([
  ['smollm', 'gpt2', 'smollm'],
  ['llama3', 'gpt2', 'llama-bpe'],
  ['qwen2', 'gpt2', 'qwen2'],
  ['llama2', 'llama', undefined],
] as const)('the GGUF of %s', (family, model, pre) => {
  const tokenizer = tokenizerFromGguf(metadataOf(family, model, pre));
  const cases: { text: string; ids: number[]; decoded: string }[] = read(`${family}.json`);
  const usable = cases.filter(({ text }) => !ADDED.test(text) && !(family === 'llama2' && text.includes('<|end|>')));

  test('tokenises like the original', () => {
    for (const { text, ids, decoded } of usable) {
      expect([text, tokenizer.encode(text)]).toEqual([text, ids]);
      expect(tokenizer.decode(ids)).toBe(decoded);
    }
  });

  test('gives files of an ordinary tokenizer', () => {
    const files = tokenizer.files();
    const again = createTokenizer({
      tokenizerJson: JSON.parse(files.get('tokenizer.json')!),
      tokenizerConfig: JSON.parse(files.get('tokenizer_config.json')!),
    });
    for (const { text, ids } of usable) expect(again.encode(text)).toEqual(ids);
    expect(again.eos).toEqual(tokenizer.eos);
  });
});

test('special tokens, their place around text, and the chat template come from the metadata', () => {
  const metadata = metadataOf('llama3', 'gpt2', 'llama-bpe');
  metadata.set('tokenizer.ggml.add_bos_token', true);
  metadata.set('tokenizer.ggml.add_eos_token', true);
  metadata.set('tokenizer.chat_template', '{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}');
  const tokenizer = tokenizerFromGguf(metadata);
  const { bos, eos } = tokenizer;
  expect([bos?.text, eos?.text, tokenizer.pad]).toEqual(['<|begin|>', '<|end|>', eos]);
  expect(tokenizer.encode('', { addSpecialTokens: true })).toEqual([bos!.id, eos!.id]);
  expect(tokenizer.chatTemplate!.render([{ role: 'user', content: 'x' }])).toBe('x<|end|>');
});

test('unknown kinds are refused by name', () => {
  expect(() => tokenizerFromGguf(new Map([['tokenizer.ggml.model', 'bert']]))).toThrow(/model "bert" is not supported/);
  expect(() => tokenizerFromGguf(metadataOf('smollm', 'gpt2', 'klingon'))).toThrow(/pre "klingon" is not known/);
  expect(() => tokenizerFromGguf(new Map([['tokenizer.ggml.model', 'gpt2']]))).toThrow(
    /tokenizer.ggml.tokens is missing/,
  );
});
