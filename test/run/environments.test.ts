import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig, parseConfig } from '../../src/config/index.js';
import { openTraceStore } from '../../src/gym/index.js';
import { readMetrics } from '../../src/observe/index.js';
import { readTrajectories } from '../../src/rollout/index.js';
import { rewardOf } from '../../src/run/environments.js';
import { train } from '../../src/run/index.js';
import { newTokenizerFiles, trainBpe } from '../../src/tokenizer/index.js';
import { describeIsolated } from '../gym/support.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { metric, recordingConsole, root, template, tinyModel } from './support.js';

/** A text is worth the share of its characters with an even code, so that random texts differ. */
const checker = `export const check = (input, { text }) => {
  if (text.includes('\\u0000')) throw new Error('unreadable');
  return text.length === 0 ? 0 : [...text].filter((c) => c.charCodeAt(0) % 2 === 0).length / [...text].length;
};`;

/** An environment of our own and a byte-level tokenizer; gives the keys of a run on them. */
async function setUp(directory: string): Promise<(changes?: Record<string, unknown>) => Record<string, unknown>> {
  const tokenizer = newTokenizerFiles({
    tokenizerJson: trainBpe({ texts: [], vocabSize: 258, specialTokens: ['<end>', '<pad>'] }),
    eosToken: '<end>',
    chatTemplate: template,
  });
  await mkdir(join(directory, 'tokenizer'));
  for (const [name, text] of tokenizer) writeFileSync(join(directory, 'tokenizer', name), text);
  const folder = join(directory, 'even_letters');
  await mkdir(folder);
  const files = {
    'task.md': 'Write {{letters}} letters.',
    'environment.yaml': stringify({
      name: 'Even letters',
      id: 'test-001',
      kind: 'document',
      difficulty: 'easy',
      domain: 'test',
      family: 'test',
      licence: 'Apache-2.0',
      provenance: 'Written for a test.',
      checker: { script: 'checker.js', function: 'check' },
      variants: { train: { generate: 1, seed: 1 }, eval: { generate: 1, seed: 2 }, holdout: { generate: 1, seed: 3 } },
    }),
    'generator.js': 'export const generate = ({ seed }) => [{ input: { letters: seed } }];',
    'reference.js': "export const answer = () => 'b';",
    'checker.js': checker,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return ({ trl, ...changes } = {}) => ({
    model_config: { ...tinyModel, vocab_size: 258, max_position_embeddings: 4096 },
    tokenizer_config: join(directory, 'tokenizer'),
    environments: [folder],
    gym: { sandbox: 'none' },
    sequence_len: 256,
    rl: 'grpo',
    trl: { num_generations: 4, max_completion_length: 6, ...(trl as Record<string, unknown> | undefined) },
    micro_batch_size: 4,
    gradient_accumulation_steps: 1,
    max_steps: 2,
    learning_rate: 3e-3,
    lr_scheduler: 'constant',
    save_strategy: 'no',
    use_tensorboard: false,
    output_dir: join(directory, 'out'),
    engine: { threads: 1 },
    ...changes,
  });
}

const run = (keys: Record<string, unknown>, console = recordingConsole()) =>
  train(parseConfig(stringify(keys)), { console });

describe('training on environments', () => {
  test('asks their tasks, takes verdicts as rewards, evaluates on the eval variant and stores traces', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const console = recordingConsole();
    const result = await run(keys({ eval_steps: 2, gym: { sandbox: 'none', traces: true } }), console);
    expect(result).toMatchObject({ status: 'finished', step: 2 });

    const sampled = await readTrajectories(join(directory, 'out', 'rollouts', 'step-1.jsonl'));
    expect(sampled).toHaveLength(4);
    expect(sampled[0]!.promptText).toContain('Write 1 letters.');
    expect(new Set(sampled.map(({ rewards }) => rewards.gym)).size).toBeGreaterThan(1);
    const [evaluated] = await readTrajectories(join(directory, 'out', 'eval', 'rollouts', 'step-0.jsonl'));
    expect(evaluated!.promptText).toContain('Write 2 letters.');
    expect(readMetrics(join(directory, 'out', 'metrics.jsonl')).some((line) => 'eval_rewards/gym' in line)).toBe(true);

    const store = await openTraceStore(join(directory, 'out', 'traces'));
    let traces = 0;
    for await (const trace of store.read()) traces += trace.environment === undefined ? 0 : 1;
    expect(traces).toBe(2 * 4 + 2);
    expect(console.lines.join('\n')).toContain('sandbox none is not isolated');
  });

  test('an answer that nobody could judge is left out of its group and counted, never a 0', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const folder = join(directory, 'even_letters');
    writeFileSync(
      join(folder, 'checker.js'),
      checker.replace("text.includes('\\u0000')", 'text.length > 0 && text.charCodeAt(0) % 2 === 1'),
    );
    // A checker that fails on the reference too is at fault itself.
    writeFileSync(join(folder, 'reference.js'), "export const answer = () => 'a';");
    const console = recordingConsole();
    await run(
      keys({ trl: { num_generations: 8 }, micro_batch_size: 8, gym: { sandbox: 'none', retries: 0 } }),
      console,
    );
    const sampled = await readTrajectories(join(directory, 'out', 'rollouts', 'step-1.jsonl'));
    const lost = sampled.filter(({ verdict }) => verdict.kind === 'noVerdict');
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.every(({ rewards, advantage }) => rewards.gym === null && advantage === null)).toBe(true);
    expect(console.lines.join('\n')).toMatch(/got no verdict and are left out.*verifier/s);
  });

  test.each([
    ['an unknown environment', { environments: ['coin_chnage'] }, /coin_change/],
    ['an unknown variant', { environments: [{ name: 'coin_change', variant: 'trian' }] }, /train/],
    ['an unknown language', { environments: [{ name: 'coin_change', language: 'pyton' }] }, /python/],
    ['an unknown part', { gym: { sandbox: 'none', reward: 'corectness' } }, /correctness/],
    ['an environment answered in steps', { environments: ['multi_turn/debug_fix'] }, /answered in steps/],
  ])('refuses %s before anything is trained', async (_, changes, message) => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    await expect(run(keys(changes))).rejects.toThrow(message);
  });

  test('a verdict as a number', () => {
    const scored = { kind: 'scored', score: 0.7, passed: false, rewardComponents: { correctness: 0.7 } } as never;
    expect(['score', 'passed', 'correctness', 'rules'].map((part) => rewardOf(scored, part))).toEqual([0.7, 0, 0.7, 0]);
    const whole = { kind: 'scored', score: 0.4, passed: false, rewardComponents: {} } as never;
    expect(['score', 'passed', 'correctness'].map((part) => rewardOf(whole, part))).toEqual([0.4, 0, 0.4]);
    const lost = rewardOf({ kind: 'noVerdict', cause: 'sandbox', message: 'gone', retries: 2, ms: 1 }, 'score');
    expect(lost).toEqual(new Error('sandbox: gone'));
  });
});

describeIsolated('training on coin_change', () => {
  test('answers run in the sandbox; text that is no program gets 0', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const out = join(directory, 'out');
    await run(
      keys({
        environments: ['coin_change', 'two_sum'],
        sequence_len: 2048,
        gym: {},
        eval_strategy: 'no',
        max_steps: 2,
      }),
    );
    const sampled = await readTrajectories(join(out, 'rollouts', 'step-1.jsonl'));
    expect(sampled.map(({ rewards }) => rewards.gym)).toEqual([0, 0, 0, 0]);
    expect(readFileSync(join(out, 'config.yaml'), 'utf8')).toContain('environments:');
  });
  test('grpo-environments.yaml trains, with a tiny model in place of its own', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const base = join(directory, 'base');
    await run(keys({ max_steps: 1, output_dir: base }));
    const out = join(directory, 'example');
    const settings = ['--max-steps=2', '--trl.max-completion-length=8', '--sequence-len=3072', '--engine.threads=1'];
    const paths = ['--base-model', base, '--output-dir', out];
    const loaded = loadConfig(join(root, 'examples/grpo-environments.yaml'), [...settings, ...paths]);
    expect(await train(loaded, { console: recordingConsole() })).toMatchObject({ status: 'finished', step: 2 });
    expect(existsSync(join(out, 'traces'))).toBe(true);
    expect(metric(out, 'eval_rewards/gym')).not.toHaveLength(0);
  });
});
