import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareDataset } from '../../src/data/index.js';
import { createLocalEngine } from '../../src/engine/index.js';
import { countTrained, sftBatch } from '../../src/methods/index.js';
import { loadCheckpoint } from '../../src/models/index.js';
import { train } from '../../src/run/index.js';
import { loadTokenizer } from '../../src/tokenizer/index.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { metric, recordingConsole, tinyModel, tinyRun, writeRows } from './support.js';

test('64 rows are learnt by heart', async () => {
  const directory = await temporaryDirectory();
  writeRows(directory, 64);
  const run = tinyRun(directory, {
    micro_batch_size: 16,
    gradient_accumulation_steps: 1,
    num_epochs: 90,
    learning_rate: 5e-3,
    model_config: { ...tinyModel, hidden_size: 64, intermediate_size: 192 },
    lr_scheduler: 'cosine',
  });
  const result = await train(run, { console: recordingConsole() });
  expect(result).toMatchObject({ status: 'finished', step: 360, totalSteps: 360 });
  expect(metric(result.outputDir, 'loss').at(-1)).toBeLessThan(0.05);
});

test('the loss and the weights do not depend on how a step is cut into micro-batches', async () => {
  const directory = await temporaryDirectory();
  writeRows(directory, 16);
  const outcome = async (name: string, micro: number, accumulation: number) => {
    const keys = {
      micro_batch_size: micro,
      gradient_accumulation_steps: accumulation,
      num_epochs: 3,
      learning_rate: 1e-3,
      // With the default, tiny gradients are divided by their own size and rounding shows.
      adam_epsilon: 1e-3,
      output_dir: join(directory, name),
    };
    const { outputDir } = await train(tinyRun(directory, keys), { console: recordingConsole() });
    return { losses: metric(outputDir, 'loss'), weights: (await loadCheckpoint(outputDir)).weights };
  };
  const whole = await outcome('whole', 8, 1);
  const cut = await outcome('cut', 1, 8);
  expect(whole.losses).toHaveLength(6);
  whole.losses.forEach((loss, i) => {
    expect(Math.abs(cut.losses[i]! - loss)).toBeLessThan(1e-5);
  });
  for (const [name, { data }] of whole.weights) {
    const other = cut.weights.get(name)!.data;
    const worst = data.reduce((most, value, i) => Math.max(most, Math.abs(value - other[i]!)), 0);
    expect(worst, name).toBeLessThan(1e-5);
  }
});

test('packing changes neither the loss of a step nor that of an evaluation', async () => {
  const directory = await temporaryDirectory();
  writeRows(directory, 20);
  const losses = async (packed: boolean) => {
    const keys = {
      // Either way one step takes all sixteen training rows.
      ...(packed
        ? { sample_packing: true, micro_batch_size: 1, gradient_accumulation_steps: 16 }
        : { micro_batch_size: 16, gradient_accumulation_steps: 1 }),
      val_set_size: 4,
      sequence_len: 128,
      max_steps: 2,
      output_dir: join(directory, packed ? 'packed' : 'unpacked'),
    };
    const { outputDir } = await train(tinyRun(directory, keys), { console: recordingConsole() });
    return [...metric(outputDir, 'loss'), ...metric(outputDir, 'eval_loss')];
  };
  const [packed, unpacked] = [await losses(true), await losses(false)];
  expect(unpacked).toHaveLength(2 + 3);
  packed.forEach((loss, i) => {
    expect(Math.abs(loss - unpacked[i]!)).toBeLessThan(1e-5);
  });
});

test('the loss of an evaluation is the mean over its tokens, the perplexity its exponential', async () => {
  const directory = await temporaryDirectory();
  writeRows(directory, 12);
  const run = tinyRun(directory, { val_set_size: 5, max_steps: 3, eval_steps: 3, eval_batch_size: 2 });
  const { outputDir } = await train(run, { console: recordingConsole() });
  const [before, after] = metric(outputDir, 'eval_loss');
  expect(after).toBeLessThan(before!);

  const tokenizer = await loadTokenizer(outputDir);
  const { eval: held } = await prepareDataset(run.config, tokenizer);
  const engine = await createLocalEngine({
    model: { path: outputDir },
    train: 'none',
    adapter: null,
    device: 'cpu',
    threads: 1,
    gradientCheckpointing: false,
    seed: 0,
    vocabulary: null,
    baseModel: '',
    files: {},
    sampleSlots: 1,
  });
  let sum = 0;
  for (const example of held) {
    const { logprobs } = await engine.forward(sftBatch([example], 1));
    for (const value of logprobs[0]!) sum -= value;
  }
  await engine.dispose();
  const expected = sum / countTrained(held);
  expect(after).toBeCloseTo(expected, 5);
  expect(metric(outputDir, 'eval_perplexity').at(-1)).toBeCloseTo(Math.exp(expected), 3);
});

test('what a run writes: model, tokenizer, template, config, metrics, events, card, log', async () => {
  const directory = await temporaryDirectory();
  writeRows(directory, 8);
  const console = recordingConsole();
  const run = tinyRun(directory, { max_steps: 2, use_tensorboard: true, logging_steps: 2 });
  const { outputDir } = await train(run, { console, debug: true });
  expect(readdirSync(outputDir).sort()).toEqual([
    'README.md',
    'chat_template.jinja',
    'config.json',
    'config.yaml',
    'debug.log',
    'generation_config.json',
    'metrics.jsonl',
    'model.safetensors',
    'runs',
    'tokenizer.json',
    'tokenizer_config.json',
  ]);
  const tokenizer = await loadTokenizer(outputDir);
  expect(tokenizer.chatTemplate?.source).toContain('assistant: ');
  const generation = JSON.parse(readFileSync(join(outputDir, 'generation_config.json'), 'utf8')) as object;
  expect(generation).toMatchObject({ eos_token_id: tokenizer.eos!.id });
  const text = console.lines.join('\n');
  expect(text).toContain('2 (2 epochs of 1)');
  expect(text).toMatch(/tokens .*% with loss/);
  expect(text).toMatch(/model_config\.vocab_size +605 {2}\(the size of the tokenizer\)/);
  expect(text).toMatch(/rows\.jsonl:\d: \d+ tokens, \d+ labels/);
  expect(readFileSync(join(outputDir, 'debug.log'), 'utf8')).toContain('2 (2 epochs of 1)');
  const records = readFileSync(join(outputDir, 'metrics.jsonl'), 'utf8').trim().split('\n');
  expect(records).toHaveLength(1);
  expect(Object.keys(JSON.parse(records[0]!) as object)).toEqual(
    expect.arrayContaining(['loss', 'grad_norm', 'learning_rate', 'tokens_per_second', 'epoch', 'num_tokens']),
  );
});

test('a loss that is not finite stops the run and leaves the batch with its rows', async () => {
  const directory = await temporaryDirectory();
  const rows = writeRows(directory, 16);
  const run = tinyRun(directory, { learning_rate: 1e30, max_grad_norm: 0, max_steps: 9 });
  await expect(train(run, { console: recordingConsole() })).rejects.toThrow(
    /Step \d: the (loss|gradient norm) is (NaN|-?Infinity).*Rows of the batch: .*rows\.jsonl:\d+/,
  );
  const outputDir = join(directory, 'out');
  const dump = JSON.parse(readFileSync(join(outputDir, 'bad-batch.json'), 'utf8')) as {
    sequences: { origin: string; text: string; tokens: number[]; trained: number[] }[];
  };
  const [first] = dump.sequences;
  expect(first!.origin).toMatch(new RegExp(`^${rows}:\\d+$`));
  expect(first!.text).toMatch(/^user: What is \d+ plus \d+\?/);
  expect(first!.tokens).toHaveLength(first!.trained.length);
  expect(existsSync(join(outputDir, 'model.safetensors'))).toBe(false);
});

test('a base model that does not know the tokenizer is told by its first loss', async () => {
  const directory = await temporaryDirectory();
  writeRows(directory, 16);
  await train(tinyRun(directory, { num_epochs: 20, output_dir: join(directory, 'base') }), {
    console: recordingConsole(),
  });
  const [rows, shifted] = [readFileSync(join(directory, 'rows.jsonl'), 'utf8'), recordingConsole()];
  writeFileSync(join(directory, 'rows.jsonl'), rows.replaceAll('plus', '@@@@@@').replaceAll(/\d/g, '%'));
  const run = tinyRun(directory, { base_model: join(directory, 'base'), max_steps: 1 });
  await train(run, { console: shifted });
  expect(shifted.lines.join('\n')).toMatch(/the first loss is .* Does the tokenizer belong to this model\?/);
});
