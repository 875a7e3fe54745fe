import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createBpe } from '../../src/tokenizer/bpe.js';
import { builtinChatTemplate, createTokenizer, loadTokenizer, trainBpe } from '../../src/tokenizer/index.js';

const GOLDEN = join(import.meta.dirname, '../golden/tokenizers');
const llama3 = await loadTokenizer(join(GOLDEN, 'llama3'));
const llama2 = await loadTokenizer(join(GOLDEN, 'llama2'));

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'anneal-tokenizer-'));
  folders.push(folder);
  for (const [name, value] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
  }
  return folder;
}

const tiny = trainBpe({ texts: ['hello hello llll'], vocabSize: 262, specialTokens: ['<eos>', '<bos>'] });

describe('special tokens', () => {
  test('come from the config as text or as objects, pad falls back to eos', () => {
    expect(llama3.eos).toEqual({ id: 0, text: '<|end|>' });
    expect(llama3.bos).toEqual({ id: 1, text: '<|begin|>' });
    expect(llama3.pad).toEqual({ id: 2, text: '<pad>' });
    expect(llama2.pad).toEqual(llama2.eos);
    expect(llama2.unk).toEqual({ id: 0, text: '<unk>' });
  });

  test('that no vocabulary has are added behind the last id', () => {
    const tokenizer = createTokenizer({
      tokenizerJson: tiny,
      tokenizerConfig: { eos_token: '<eos>', pad_token: '<pad>', additional_special_tokens: ['<extra>'] },
    });
    expect(tokenizer.pad).toEqual({ id: 262, text: '<pad>' });
    expect(tokenizer.tokenId('<extra>')).toBe(263);
    expect(tokenizer.vocabSize).toBe(264);
    expect(tokenizer.encode('<pad><extra>')).toEqual([262, 263]);
  });

  test('have ids that the two files agree on', () => {
    expect(() =>
      createTokenizer({ tokenizerJson: tiny, tokenizerConfig: { added_tokens_decoder: { 5: { content: '<new>' } } } }),
    ).toThrow(/gives id 5 to "<new>", but tokenizer.json has/);
  });

  test('put around the text stand at its ends', () => {
    const { ids, offsets } = llama3.encodeWithOffsets('Hi', { addSpecialTokens: true });
    expect(ids[0]).toBe(llama3.bos!.id);
    expect(offsets[0]).toEqual([0, 0]);
  });
});

describe('bytes of tokens', () => {
  test('add up to the text, also where a token is part of a character', async () => {
    for (const tokenizer of [llama3, await loadTokenizer(join(GOLDEN, 'smollm'))]) {
      const text = 'naïve 你好 😀\tx';
      const bytes = tokenizer.encode(text).flatMap((id) => Array.from(tokenizer.tokenBytes(id)));
      expect(Buffer.from(bytes).toString('utf8')).toBe(text);
    }
    const bytes = llama2.encode('x 😀').flatMap((id) => Array.from(llama2.tokenBytes(id)));
    expect(Buffer.from(bytes).toString('utf8')).toBe(' x 😀');
  });

  test('are none for special tokens and for ids without a token', () => {
    expect(llama3.tokenBytes(llama3.eos!.id)).toHaveLength(0);
    expect(llama3.tokenBytes(1_000_000)).toHaveLength(0);
  });
});

test('a lone surrogate is read as U+FFFD', () => {
  expect(llama3.encode('a\ud800b')).toEqual(llama3.encode('a\ufffdb'));
  expect(llama3.encodeWithOffsets('a\udc00b').offsets).toEqual(llama3.encodeWithOffsets('a\ufffdb').offsets);
});

describe('long text', () => {
  const work = (text: string): number => {
    const bpe = createBpe(tiny.model);
    bpe.encode(text);
    return bpe.work();
  };

  test('without a break costs merges in proportion to its length', () => {
    expect(work('hello'.repeat(20_000)) / work('hello'.repeat(10_000))).toBeLessThan(2.1);
    expect(work('l'.repeat(100_000)) / work('l'.repeat(50_000))).toBeLessThan(2.1);
  });

  test.each([
    ['prose', 'The quick brown fox — naïve café 你好 😀\n\tif x > 0:\n'.repeat(10_000)],
    ['one letter', 'a'.repeat(300_000)],
    ['spaces', ' '.repeat(300_000)],
    ['marks', `e${'\u0301'.repeat(20_000)}`],
    ['special tokens', '<|end|>'.repeat(30_000)],
  ])('of %s is tokenised, with offsets that cover it', async (_, text) => {
    for (const family of ['qwen2', 'llama2']) {
      const tokenizer = await loadTokenizer(join(GOLDEN, family));
      const { ids, offsets } = tokenizer.encodeWithOffsets(text);
      expect(ids).toEqual(tokenizer.encode(text));
      expect(offsets[0]![0]).toBe(0);
      expect(offsets.at(-1)![1]).toBe(text.length);
    }
  });
});

describe('files', () => {
  test('are those that were read, with the template in a file of its own', async () => {
    const folder = folderWith({
      'tokenizer.json': tiny,
      'tokenizer_config.json': { eos_token: '<eos>', chat_template: 'A{{ eos_token }}', custom: [1] },
      'special_tokens_map.json': { bos_token: '<bos>' },
    });
    const tokenizer = await loadTokenizer(folder);
    expect(tokenizer.bos).toEqual({ id: 1, text: '<bos>' });
    expect(tokenizer.chatTemplate!.render([])).toBe('A<eos>');
    const files = tokenizer.files();
    expect(JSON.parse(files.get('tokenizer.json')!)).toEqual(JSON.parse(JSON.stringify(tiny)));
    expect(JSON.parse(files.get('tokenizer_config.json')!)).toEqual({
      bos_token: '<bos>',
      eos_token: '<eos>',
      custom: [1],
    });
    expect(files.get('chat_template.jinja')).toBe('A{{ eos_token }}');

    const saved = folderWith(Object.fromEntries(files));
    expect(readdirSync(saved).sort()).toEqual([
      'chat_template.jinja',
      'special_tokens_map.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    const again = await loadTokenizer(saved);
    expect(again.files()).toEqual(files);
    expect(again.encode('hello<eos>')).toEqual(tokenizer.encode('hello<eos>'));
  });

  test('may hold the template in any of its places', async () => {
    const config = {
      chat_template: [
        { name: 'default', template: 'D' },
        { name: 'tool_use', template: 'T' },
      ],
    };
    const listed = await loadTokenizer(folderWith({ 'tokenizer.json': tiny, 'tokenizer_config.json': config }));
    expect(listed.chatTemplate!.source).toBe('D');
    expect(listed.files().get('additional_chat_templates/tool_use.jinja')).toBe('T');
    const own = { 'tokenizer.json': tiny, 'tokenizer_config.json': { chat_template: 'C' } };
    expect((await loadTokenizer(folderWith({ ...own, 'chat_template.jinja': 'J' }))).chatTemplate!.source).toBe('J');
    const json = { 'tokenizer.json': tiny, 'chat_template.json': { chat_template: 'S' } };
    expect((await loadTokenizer(folderWith(json))).chatTemplate!.source).toBe('S');
    expect((await loadTokenizer(folderWith({ 'tokenizer.json': tiny }))).chatTemplate).toBeNull();
  });

  test('change with the template', () => {
    const tokenizer = createTokenizer({ tokenizerJson: tiny }).withChatTemplate(builtinChatTemplate('chatml'));
    expect(tokenizer.files().get('chat_template.jinja')).toBe(builtinChatTemplate('chatml'));
    expect(tokenizer.chatTemplate!.render([{ role: 'user', content: 'x' }])).toBe('<|im_start|>user\nx<|im_end|>\n');
  });

  test('that are missing or damaged are named, with what to do', async () => {
    await expect(loadTokenizer(join(GOLDEN, 'nowhere'))).rejects.toThrow(/nowhere: no such folder/);
    await expect(loadTokenizer(join(GOLDEN, 'gpt2.json'))).rejects.toThrow(/gpt2.json is a file; give the folder/);
    await expect(loadTokenizer(folderWith({}))).rejects.toThrow(/no tokenizer\.json\. Point to the folder/);
    await expect(loadTokenizer(folderWith({ 'tokenizer.model': 'x' }))).rejects.toThrow(
      /has tokenizer\.model .* but no/,
    );
    await expect(loadTokenizer(folderWith({ 'tokenizer.json': '{"model": ' }))).rejects.toThrow(
      /tokenizer\.json: not valid JSON/,
    );
    const lfs = { 'tokenizer.json': 'version https://git-lfs.example/spec/v1' };
    await expect(loadTokenizer(folderWith(lfs))).rejects.toThrow(/Git LFS pointer/);
    const unigram = { 'tokenizer.json': { model: { type: 'Unigram', vocab: [] } } };
    await expect(loadTokenizer(folderWith(unigram))).rejects.toThrow(
      /model type "Unigram" is not supported \(supported: BPE\)/,
    );
    const cut = { 'tokenizer.json': { ...tiny, model: { ...tiny.model, merges: [['h', 'nope']] } } };
    await expect(loadTokenizer(folderWith(cut))).rejects.toThrow(/merges\[0\] .* needs the token "nope"/);
    const odd = { 'tokenizer.json': { ...tiny, pre_tokenizer: { type: 'UnicodeScripts' } } };
    await expect(loadTokenizer(folderWith(odd))).rejects.toThrow(
      /pre_tokenizer type "UnicodeScripts" is not supported/,
    );
    const broken = { 'tokenizer.json': tiny, 'chat_template.jinja': '{% for %}' };
    await expect(loadTokenizer(folderWith(broken))).rejects.toThrow(/chat template: cannot be parsed/);
  });
});
