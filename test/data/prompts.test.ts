import { describe, expect, test } from 'vitest';
import { formatPromptReport, readPrompts } from '../../src/data/index.js';
import { config, jsonl, smallTokenizer, type TokenizerOptions } from './support.js';

function read(
  dataset: Record<string, unknown>,
  keys: Record<string, unknown> = {},
  options: TokenizerOptions = {},
  maxPromptTokens = 200,
) {
  const all = {
    rl: 'grpo',
    trl: { reward_funcs: ['gsm8k'], num_generations: 2 },
    shuffle_merged_datasets: false,
    ...keys,
  };
  return readPrompts(config({ type: 'prompt', ...dataset }, all), smallTokenizer(options), { maxPromptTokens });
}

describe('prompts', () => {
  test('a text becomes a user turn before the header of the answer, and the other columns are kept', async () => {
    const path = jsonl([{ question: 'What is 2+2?', answer: '#### 4', level: 1 }]);
    const { train } = await read({ path, field_prompt: 'question' });
    const promptText = '<|im_start|>user\nWhat is 2+2?<|im_end|>\n<|im_start|>assistant\n';
    expect(train).toEqual([
      {
        promptText,
        promptIds: Int32Array.from(smallTokenizer().encode(promptText)),
        messages: [{ role: 'user', content: 'What is 2+2?' }],
        columns: { answer: '#### 4', level: 1 },
        origin: { file: path, line: 1, dataset: 0 },
      },
    ]);
  });

  test('a list of messages is rendered, with system_prompt before one that has no system turn', async () => {
    const system = { role: 'system', content: 'Be long.' };
    const path = jsonl([
      { prompt: [{ role: 'user', content: 'Hi' }] },
      { prompt: [system, { role: 'user', content: 'Hi' }] },
    ]);
    const { train } = await read({ path, system_prompt: 'Be brief.' });
    expect(train.map((prompt) => prompt.messages![0])).toEqual([{ role: 'system', content: 'Be brief.' }, system]);
    expect(train[0]!.promptText).toMatch(/^<\|im_start\|>system\nBe brief\./);
  });

  test('plain text is taken as it is, with the bos of the tokenizer', async () => {
    const { train } = await read(
      { path: jsonl([{ prompt: 'Once upon' }]), apply_chat_template: false },
      {},
      { addBos: true },
    );
    expect(train[0]).toMatchObject({ promptText: 'Once upon', messages: null });
    expect(train[0]!.promptIds[0]).toBe(smallTokenizer().bos!.id);
  });

  test('conversations of a chat dataset end at their last turn that is not an answer, and keep the answer as a column', async () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'ok' },
    ];
    const { train } = await read({ type: 'chat_template', path: jsonl([{ messages }]) });
    expect(train[0]!.promptText).toBe('<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n');
    expect(train[0]!.columns).toEqual({ messages });
  });

  test('rows that cannot be used and prompts that are too long are counted and named', async () => {
    const path = jsonl([
      { prompt: 'Hi' },
      {},
      { prompt: ' ' },
      { prompt: [] },
      { prompt: [{ role: 'assistant', content: 'ok' }] },
      { prompt: [{ role: 'user' }] },
      { prompt: 'The quick brown fox. '.repeat(30) },
    ]);
    const { train, report } = await read({ path }, {}, {}, 40);
    expect(train).toHaveLength(1);
    expect(report).toMatchObject({ rows: 7, trainPrompts: 1 });
    expect(report.dropped.map(({ count, first }) => [count, first[0]!.origin.line])).toEqual(
      [2, 3, 4, 5, 6, 7].map((line) => [1, line]),
    );
    expect(formatPromptReport(report)).toMatch(/prompt longer than 40 tokens[^\n]*\n +\S+rows\.jsonl:7 {2}\d+ tokens/);
  });

  test('excess_length_strategy: raise stops at a prompt that is too long', async () => {
    const path = jsonl([{ prompt: 'The quick brown fox. '.repeat(30) }]);
    await expect(read({ path }, { excess_length_strategy: 'raise' }, {}, 40)).rejects.toThrow(
      /rows\.jsonl:1 has a prompt of \d+ tokens, and 40 fit/,
    );
  });

  test('evaluation prompts are split off like examples', async () => {
    const path = jsonl(Array.from({ length: 20 }, (_, index) => ({ prompt: `What is ${index}?` })));
    const data = await read({ path }, { val_set_size: 5, shuffle_merged_datasets: true });
    expect(data.train).toHaveLength(15);
    expect(new Set([...data.train, ...data.eval].map((prompt) => prompt.promptText)).size).toBe(20);
    const again = await read({ path }, { val_set_size: 5, shuffle_merged_datasets: true });
    expect(again.eval).toEqual(data.eval);
  });
});
