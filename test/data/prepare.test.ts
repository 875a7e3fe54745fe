import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Example, formatDataReport, formatOrigin, prepareDataset } from '../../src/data/index.js';
import type { Tokenizer } from '../../src/tokenizer/index.js';
import { config, file, golden, jsonl, smallTokenizer } from './support.js';

const chat = (answer: string) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: answer },
  ],
});

function prepare(dataset: Record<string, unknown>, keys: Record<string, unknown> = {}, tokenizer = smallTokenizer()) {
  return prepareDataset(config(dataset, { shuffle_merged_datasets: false, ...keys }), tokenizer);
}

function parts(example: Example, tokenizer: Tokenizer) {
  const ids = [...example.tokens];
  return {
    masked: tokenizer.decode(ids.filter((_, at) => example.trained[at] === 0)),
    trained: tokenizer.decode(ids.filter((_, at) => example.trained[at] === 1)),
  };
}

describe('alpaca', () => {
  const tokenizer = smallTokenizer({ addBos: true, eos: '<|endoftext|>' });
  const rows = [
    { instruction: 'Add.', input: '2, 2', output: 'four' },
    { instruction: 'Greet.', input: '', output: 'Hello!' },
    { instruction: 'Greet.', output: 'Hello!' },
  ];

  test('masks the Stanford prompt with its bos and trains the answer with eos', async () => {
    const { train } = await prepare({ type: 'alpaca', path: jsonl(rows) }, {}, tokenizer);
    expect(parts(train[0]!, tokenizer)).toEqual({
      masked:
        '<|begin_of_text|>Below is an instruction that describes a task, paired with an input that provides further context. ' +
        'Write a response that appropriately completes the request.\n\n' +
        '### Instruction:\nAdd.\n\n### Input:\n2, 2\n\n### Response:\n',
      trained: 'four<|endoftext|>',
    });
    expect(parts(train[1]!, tokenizer).masked).toBe(
      '<|begin_of_text|>Below is an instruction that describes a task. Write a response that appropriately completes the request.' +
        '\n\n### Instruction:\nGreet.\n\n### Response:\n',
    );
    expect(train[2]!.tokens).toEqual(train[1]!.tokens);
  });

  test('prompt and answer are tokenised each for itself', async () => {
    const { train } = await prepare(
      { type: 'alpaca', path: jsonl([{ instruction: 'a', output: '\n\nb' }]) },
      {},
      tokenizer,
    );
    const eos = tokenizer.tokenId('<|endoftext|>')!;
    expect([...train[0]!.tokens.filter((_, at) => train[0]!.trained[at] === 1)]).toEqual([
      ...tokenizer.encode('\n\nb'),
      eos,
    ]);
  });

  test('train_on_inputs trains all but the first token', async () => {
    const { train } = await prepare({ type: 'alpaca', path: jsonl(rows) }, { train_on_inputs: true }, tokenizer);
    for (const example of train) expect(example.trained.indexOf(0, 1)).toBe(-1);
    expect(train[0]!.trained[0]).toBe(0);
  });

  test('columns may have other names', async () => {
    const path = jsonl([{ question: 'Add.', answer: 'four' }]);
    const { train } = await prepare(
      { type: 'alpaca', path, field_instruction: 'question', field_output: 'answer' },
      {},
      tokenizer,
    );
    expect(parts(train[0]!, tokenizer).trained).toBe('four<|endoftext|>');
  });
});

describe('completion', () => {
  test('cuts a text into pieces of sequence_len that hold all of it, eos included', async () => {
    const tokenizer = smallTokenizer({ addBos: true, eos: '<|endoftext|>' });
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(4);
    const { train, report } = await prepare(
      { type: 'completion', path: jsonl([{ text }]) },
      { sequence_len: 16 },
      tokenizer,
    );
    const joined = train.flatMap((example) => [...example.tokens]);
    expect(tokenizer.decode(joined)).toBe(`<|begin_of_text|>${text}<|endoftext|>`);
    for (const example of train.slice(0, -1)) expect(example.tokens).toHaveLength(16);
    for (const example of train)
      expect([...example.trained]).toEqual([0, ...new Array(example.tokens.length - 1).fill(1)]);
    expect(report).toMatchObject({ rows: 1, used: 1, examples: train.length, tokens: joined.length });
  });
});

describe('input_output', () => {
  const segments = [
    { label: true, text: '<|im_start|>a' },
    { label: false, text: ' four' },
    { label: true, text: ' is<|im_end|>' },
  ];

  test('joins segments as they are', async () => {
    const tokenizer = smallTokenizer({ addBos: true });
    const { train } = await prepare({ type: 'input_output', path: jsonl([{ segments }]) }, {}, tokenizer);
    expect(tokenizer.decode(train[0]!.tokens)).toBe('<|im_start|>a four is<|im_end|>');
    expect(parts(train[0]!, tokenizer)).toEqual({ masked: '<|im_start|> four', trained: 'a is<|im_end|>' });
  });

  test('a segment of another shape drops the row', async () => {
    const path = jsonl([{ segments }, { segments: [{ text: 'x' }] }, { segments: 'x' }, {}]);
    const { report } = await prepare({ type: 'input_output', path });
    expect(report.dropped.map(({ count, reason }) => [count, reason])).toEqual([
      [2, 'column `segments` is not a list'],
      [1, 'a segment is not {label: true or false, text}'],
    ]);
  });
});

describe('rows that are not used', () => {
  test('are counted under their reason, named by file and line, and nothing else goes missing', async () => {
    const path = jsonl([
      chat('ok'),
      {},
      chat(''),
      chat('fine'),
      {},
      { messages: 'x' },
      chat('The quick brown fox. '.repeat(20)),
    ]);
    const { train, report } = await prepare({ type: 'chat_template', path }, { sequence_len: 64 });
    expect(train.map((example) => example.origin.line)).toEqual([1, 4]);
    expect(report).toMatchObject({ rows: 7, used: 2, examples: 2, droppedCount: 5 });
    expect(
      report.dropped.map(({ reason, count, first }) => [reason, count, first.map((row) => row.origin.line)]),
    ).toEqual([
      ['column `messages` is missing', 2, [2, 5]],
      ['a trained turn is empty', 1, [3]],
      ['column `messages` is a text that is not valid JSON', 1, [6]],
      ['longer than sequence_len 64', 1, [7]],
    ]);
    expect(report.longest).toEqual([{ origin: { file: path, line: 7, dataset: 0 }, tokens: expect.any(Number) }]);
    const text = formatDataReport(report);
    expect(text).toContain('dropped: 5 (71 % of the samples');
    expect(text).toContain(`2 × column \`messages\` is missing\n        ${path}:2  the row has no columns`);
    expect(text).toMatch(/7 +\d+ tokens/);
  });

  test('rows without a trained token are dropped, and the report says whose turns they have', async () => {
    const path = jsonl([
      chat('ok'),
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'bot', content: 'ok' },
        ],
      },
    ]);
    const { train, report } = await prepare({ type: 'chat_template', path });
    expect(train).toHaveLength(1);
    expect(report.dropped).toEqual([
      {
        reason: 'no trained tokens',
        count: 1,
        first: [{ origin: { file: path, line: 2, dataset: 0 }, reason: expect.stringContaining('turns of user, bot') }],
      },
    ]);
    expect(report.warnings).toEqual([expect.stringMatching(/Role "bot".*\(1×, first at .*rows\.jsonl:2\)/)]);
  });

  test('when none is left the error lists the reasons', async () => {
    const path = jsonl([{ text: 'x' }]);
    await expect(prepare({ type: 'chat_template', path })).rejects.toThrow(
      /No row of `datasets` can be used[\s\S]*1 × column `messages` is missing[\s\S]*rows\.jsonl:1/,
    );
    await expect(prepare({ type: 'completion', path: file('empty.jsonl', '') })).rejects.toThrow(
      /empty\.jsonl holds no rows/,
    );
  });
});

describe('length', () => {
  const rows = [chat('ok'), chat('The quick brown fox jumps over the lazy dog. '.repeat(5))];

  test('truncate keeps the start of long rows and counts them', async () => {
    const { train, report } = await prepare(
      { type: 'chat_template', path: jsonl(rows) },
      { sequence_len: 32, excess_length_strategy: 'truncate' },
    );
    expect(train.map((example) => example.tokens.length)).toEqual([expect.any(Number), 32]);
    expect(report).toMatchObject({ truncated: 1, droppedCount: 0 });
  });

  test('a row whose trained tokens all lie behind the cut is dropped', async () => {
    const long = {
      messages: [
        { role: 'user', content: 'The quick brown fox. '.repeat(9) },
        { role: 'assistant', content: 'ok' },
      ],
    };
    const { report } = await prepare(
      { type: 'chat_template', path: jsonl([chat('ok'), long]) },
      { sequence_len: 32, excess_length_strategy: 'truncate' },
    );
    expect(report.dropped[0]).toMatchObject({ reason: 'no trained token within sequence_len 32', count: 1 });
  });

  test('raise names the row', async () => {
    const running = prepare(
      { type: 'chat_template', path: jsonl(rows) },
      { sequence_len: 32, excess_length_strategy: 'raise' },
    );
    await expect(running).rejects.toThrow(/rows\.jsonl:2 has \d+ tokens, more than sequence_len 32/);
  });

  test('short rows are dropped below min_sample_len', async () => {
    const path = jsonl([{ text: 'a' }, { text: 'The quick brown fox' }]);
    const { report } = await prepare({ type: 'completion', path }, { min_sample_len: 4 });
    expect(report.dropped[0]).toMatchObject({ reason: 'shorter than min_sample_len 4', count: 1 });
  });
});

describe('train and evaluation', () => {
  const path = () =>
    jsonl(
      Array.from({ length: 200 }, (_, index) => ({ text: `The number ${index}. ${'It is four. '.repeat(index % 9)}` })),
    );

  test.each([
    [1, 199, 1],
    [100, 100, 100],
    [0.1, 180, 20],
  ])('val_set_size %d', async (val_set_size, train, held) => {
    const data = await prepare({ type: 'completion', path: path() }, { val_set_size, shuffle_merged_datasets: true });
    const lines = [...data.train, ...data.eval].map((example) => example.origin.line);
    expect([data.train.length, data.eval.length]).toEqual([train, held]);
    expect(new Set(lines).size).toBe(200);
  });

  test('the pieces of one text stay on one side', async () => {
    const { train, eval: held } = await prepare(
      { type: 'completion', path: path() },
      { val_set_size: 0.5, sequence_len: 8, shuffle_merged_datasets: true },
    );
    const trainLines = new Set(train.map((example) => example.origin.line));
    expect(held.filter((example) => trainLines.has(example.origin.line))).toEqual([]);
  });

  test('test_datasets make up the evaluation set', async () => {
    const test_datasets = [{ type: 'completion', path: jsonl([{ text: 'held out' }], 'test.jsonl') }];
    const data = await prepare({ type: 'completion', path: path() }, { test_datasets });
    expect(data.train).toHaveLength(200);
    expect(data.eval.map((example) => formatOrigin(example.origin))).toEqual([expect.stringMatching(/test\.jsonl:1$/)]);
  });

  test('datasets of several types are joined and rows know theirs', async () => {
    const datasets = [
      { type: 'completion', path: jsonl([{ text: 'plain text' }]) },
      { type: 'chat_template', path: jsonl([chat('ok')]) },
      {
        type: 'chat_template',
        path: jsonl([chat('ok')]),
        chat_template: 'jinja',
        chat_template_jinja: golden.templates.llama3,
        train_on_eos: 'none',
      },
    ];
    const { train, report } = await prepare({}, { datasets });
    const named = await prepare({ type: 'chat_template', path: datasets[1]!.path, chat_template: 'phi_4' });
    expect(smallTokenizer().decode(named.train[0]!.tokens)).toContain('assistant<|im_sep|>ok');
    expect(train.map((example) => example.origin.dataset)).toEqual([0, 1, 2]);
    expect(smallTokenizer().decode(train[2]!.tokens)).toContain('<|end_header_id|>');
    expect(report.trainedByRole).toMatchObject({
      text: expect.any(Number),
      assistant: 2 * smallTokenizer().encode('ok').length + 1,
    });
    const trained = [...train].reduce((sum, example) => sum + example.trained.reduce((all, one) => all + one, 0), 0);
    expect(Object.values(report.trainedByRole).reduce((sum, count) => sum + count, 0)).toBe(trained);
    expect(report.trainedTokens).toBe(trained);
  });
});

test('preparation reports its progress, lets other work go on, and can be aborted', async () => {
  const path = jsonl(
    Array.from({ length: 3000 }, () => chat('The quick brown fox jumps over the lazy dog. '.repeat(4))),
  );
  const settings = config({ type: 'chat_template', path });
  const seen: number[] = [];
  let turns = 0;
  let running = true;
  const other = (async () => {
    while (running) {
      await nextTick();
      turns++;
    }
  })();
  const { report } = await prepareDataset(settings, smallTokenizer(), {
    progress: ({ rows, bytesRead, totalBytes }) => {
      seen.push(rows);
      expect(bytesRead).toBeLessThanOrEqual(totalBytes);
    },
  });
  running = false;
  await other;
  expect(seen.at(-1)).toBe(report.rows);
  expect(seen.length).toBeGreaterThan(2);
  expect(turns).toBeGreaterThanOrEqual(seen.length - 1);

  const abort = new AbortController();
  const aborted = prepareDataset(settings, smallTokenizer(), { signal: abort.signal, progress: () => abort.abort() });
  await expect(aborted).rejects.toThrow(/abort/i);
});

test('prompts without answers are refused for fine-tuning', async () => {
  const settings = config({ type: 'completion' });
  const datasets = [
    {
      ...config({ type: 'prompt' }, { rl: 'grpo', trl: { reward_funcs: ['gsm8k'], num_generations: 2 } }).datasets[0]!,
    },
  ];
  await expect(prepareDataset({ ...settings, datasets }, smallTokenizer())).rejects.toThrow(
    /`type: prompt` has no answers/,
  );
});
