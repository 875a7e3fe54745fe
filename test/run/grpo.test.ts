import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type LoadedConfig, parseConfig } from '../../src/config/index.js';
import { readMetrics } from '../../src/observe/index.js';
import { readTrajectories } from '../../src/rollout/index.js';
import { evaluate, train } from '../../src/run/index.js';
import { newTokenizerFiles, trainBpe } from '../../src/tokenizer/index.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { metric, recordingConsole, root, template, tinyModel } from './support.js';

const rewards = `
export const even = (prompts, completions, columns, { completionIds }) =>
  completionIds.map((ids) => ids.filter((id) => id % 2 === 0).length / Math.max(1, ids.length));
export const picky = (prompts, completions, { number }) =>
  completions.map((completion, i) => (number[i] === 3 ? null : completion.length % 2));
let calls = 0;
export const hangs = (prompts, completions) => (calls++ === 0 ? completions.map(() => 1) : new Promise(() => {}));
export const broken = (prompts, completions, { solution }) => completions.map((_, i) => solution[i].length);
`;

/** A folder with prompts, rewards and a byte-level tokenizer; and the keys of a run on them, some replaced. */
async function setUp(directory: string): Promise<(changes?: Record<string, unknown>) => Record<string, unknown>> {
  const tokenizer = newTokenizerFiles({
    tokenizerJson: trainBpe({ texts: [], vocabSize: 258, specialTokens: ['<end>', '<pad>'] }),
    eosToken: '<end>',
    chatTemplate: template,
  });
  await mkdir(join(directory, 'tokenizer'));
  for (const [name, text] of tokenizer) writeFileSync(join(directory, 'tokenizer', name), text);
  const row = (number: number) => JSON.stringify({ prompt: `Say ${number}.`, number });
  const lines = (from: number, count: number) => Array.from({ length: count }, (_, i) => `${row(from + i)}\n`).join('');
  writeFileSync(join(directory, 'prompts.jsonl'), lines(0, 6));
  writeFileSync(join(directory, 'held-out.jsonl'), lines(6, 3));
  writeFileSync(join(directory, 'rewards.ts'), rewards);
  return ({ trl, ...changes } = {}) => ({
    ...(changes.base_model === undefined && {
      model_config: { ...tinyModel, vocab_size: 258 },
      tokenizer_config: join(directory, 'tokenizer'),
    }),
    datasets: [{ path: join(directory, 'prompts.jsonl'), type: 'prompt' }],
    test_datasets: [{ path: join(directory, 'held-out.jsonl'), type: 'prompt' }],
    sequence_len: 48,
    rl: 'grpo',
    trl: {
      num_generations: 4,
      max_completion_length: 6,
      reward_funcs: [`${join(directory, 'rewards.ts')}#even`],
      ...(trl as Record<string, unknown> | undefined),
    },
    micro_batch_size: 8,
    gradient_accumulation_steps: 1,
    max_steps: 4,
    learning_rate: 3e-3,
    lr_scheduler: 'constant',
    ...(changes.save_steps === undefined && { save_strategy: 'no' }),
    ...(changes.eval_steps === undefined && { eval_strategy: 'no' }),
    use_tensorboard: false,
    output_dir: join(directory, 'out'),
    engine: { threads: 1 },
    ...changes,
  });
}

const loaded = (keys: Record<string, unknown>): LoadedConfig => parseConfig(stringify(keys));
const quiet = () => ({ console: recordingConsole() });

describe('a GRPO run', () => {
  test('a reward that never settles is given up on, said with its step, and stops the run when it stays so', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const trl = { reward_funcs: [`${join(directory, 'rewards.ts')}#hangs`], reward_timeout: 0.001 };
    const console = recordingConsole();
    await expect(train(loaded(keys({ trl })), { console })).rejects.toThrow(
      /hangs gave nothing usable in 3 calls in a row[\s\S]*no answer within 0\.001 s \(trl\.reward_timeout\)/,
    );
    expect(console.lines.join('\n')).toMatch(/step 2: 8 answers got no verdict .*rewards\.ts#hangs failed: no answer/);
  });

  test('evaluates before, between and after, and leaves every answer and metric on disk', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const console = recordingConsole();
    const result = await train(
      loaded(keys({ eval_steps: 2, trl: { log_completions: true, num_completions_to_print: 2 } })),
      {
        console,
      },
    );
    expect(result).toMatchObject({ status: 'finished', step: 4, totalSteps: 4 });
    expect(result.metrics.map(({ name }) => name)).toEqual(['reward', 'eval_accuracy', 'eval_reward']);

    const out = join(directory, 'out');
    const lines = readMetrics(join(out, 'metrics.jsonl'));
    expect(lines.filter((line) => 'eval_accuracy' in line).map(({ step }) => step)).toEqual([0, 2, 4]);
    const steps = lines.filter((line) => 'loss' in line);
    expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
    for (const line of steps) {
      expect(Object.keys(line)).toEqual(
        expect.arrayContaining([
          'reward',
          'reward_std',
          'rewards/even/mean',
          'frac_reward_zero_std',
          'completions/mean_length',
          'completions/clipped_ratio',
          'entropy',
          'clip_ratio/region_mean',
          'sampling/sampling_logp_difference/max',
          'grad_norm',
          'learning_rate',
          'num_tokens',
          'epoch',
        ]),
      );
    }
    const trajectories = (
      await Promise.all([1, 2, 3, 4].map((step) => readTrajectories(join(out, `rollouts/step-${step}.jsonl`))))
    ).flat();
    // Six prompts, two at once: the fourth step begins the second epoch.
    expect(trajectories).toHaveLength(4 * 8);
    expect(new Set(trajectories.slice(0, 24).map(({ promptId }) => promptId)).size).toBe(6);
    for (const { step, spans, verdict, advantage } of trajectories) {
      expect(spans.at(-1)).toMatchObject({ kind: 'assistant', policyVersion: step - 1 });
      expect(verdict.kind).toBe('scored');
      expect(advantage).not.toBeNull();
    }
    expect(metric(out, 'num_tokens').at(-1)).toBe(
      trajectories.reduce((sum, { spans }) => sum + spans.reduce((count, { tokens }) => count + tokens.length, 0), 0),
    );
    expect(await readTrajectories(join(out, 'eval/rollouts/step-4.jsonl'))).toHaveLength(3);
    expect(existsSync(join(out, 'model.safetensors'))).toBe(true);
    const shown = console.lines.join('\n');
    expect(shown).toMatch(/sampler and trainer agree: log-probabilities of \d+ tokens/);
    expect(shown).toMatch(/step 0: accuracy 0\.\d+ \(\d of 3 held-out prompts; 95 % interval/);
    expect(shown).toMatch(/── reward 0\.\d+, advantage -?\d.*\nuser: Say \d\./);
  });

  test('answers without a verdict are counted, not taken for wrong ones', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const reward_funcs = [`${join(directory, 'rewards.ts')}#picky`];
    await train(loaded(keys({ max_steps: 3, logging_steps: 3, trl: { reward_funcs } })), quiet());
    const [line] = readMetrics(join(directory, 'out/metrics.jsonl'));
    expect(line).toMatchObject({ step: 3, 'completions/no_verdict': 4 });
  });

  test.each([
    { loss_type: 'grpo', scale_rewards: 'batch', mask_truncated_completions: true },
    { loss_type: 'bnpo', scale_rewards: false, importance_sampling_level: 'sequence' },
    { loss_type: 'dr_grpo', num_iterations: 2, epsilon_high: 0.28 },
    { loss_type: 'dapo', beta: 0.1, generation_batch_size: 16, top_p: 0.9, temperature: 0.8 },
  ])('runs with %o', async (trl) => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    expect(await train(loaded(keys({ max_steps: 2, trl })), quiet())).toMatchObject({ status: 'finished' });
    if ('beta' in trl) {
      const kl = metric(join(directory, 'out'), 'kl');
      // At first the policy is its own reference.
      expect(kl[0]).toBeCloseTo(0, 6);
      expect(kl[1]).toBeGreaterThan(1e-6);
    }
  });

  test('with LoRA the reference is the model without its adapter', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    await train(loaded(keys({ max_steps: 1, output_dir: join(directory, 'base') })), quiet());
    const lora = { adapter: 'lora', lora_r: 4, lora_alpha: 8, lora_target_linear: true };
    await train(loaded(keys({ base_model: join(directory, 'base'), ...lora, trl: { beta: 0.05 } })), quiet());
    const kl = metric(join(directory, 'out'), 'kl');
    expect(kl[0]).toBeCloseTo(0, 6);
    expect(kl.at(-1)).toBeGreaterThan(1e-6);
    expect(existsSync(join(directory, 'out/adapter_model.safetensors'))).toBe(true);
  });

  test('a reward that cannot work is an error before anything is loaded or trained', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const reward_funcs = [`${join(directory, 'rewards.ts')}#broken`];
    await expect(train(loaded(keys({ trl: { reward_funcs } })), quiet())).rejects.toThrow(
      /rewards\.ts#broken failed: [\s\S]*in the call broken\([\s\S]*It read the column "solution", which the dataset lacks/,
    );
    expect(existsSync(join(directory, 'out/rollouts'))).toBe(false);
  });

  test('a loss that is not a number stops the run and leaves the batch', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const run = loaded(keys({ learning_rate: 1e30, max_grad_norm: 0, trl: { num_iterations: 2 } }));
    await expect(train(run, quiet())).rejects.toThrow(/Step 2: the (loss|gradient norm) is .*prompts\.jsonl:\d/);
    const batch = JSON.parse(readFileSync(join(directory, 'out/bad-batch.json'), 'utf8'));
    expect(batch.sequences[0].origin).toMatch(/prompts\.jsonl:\d$/);
  });

  test('the model of a config can be measured without training', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    const { accuracy, trajectories } = await evaluate(loaded(keys()), quiet());
    expect(accuracy.total).toBe(3);
    expect(trajectories).toHaveLength(3);
    expect(existsSync(join(directory, 'out'))).toBe(false);
  });
});

describe('a GRPO run that is stopped and continued', () => {
  const changes = {
    eval_steps: 3,
    save_steps: 2,
    max_steps: 16,
    logging_steps: 3,
    lr_scheduler: 'cosine',
    auto_resume_from_checkpoints: true,
    // Generations begin after steps 0, 2, 3, 5, 6, …; the checkpoint due at step 4 waits for the fifth.
    trl: { generation_batch_size: 16 },
  };
  const outcome = async (outputDir: string) => ({
    weights: readFileSync(join(outputDir, 'model.safetensors')).toString('base64'),
    lines: readMetrics(join(outputDir, 'metrics.jsonl')).map((line) =>
      Object.fromEntries(Object.entries(line).filter(([name]) => !/^(time$|timing|memory)|seconds$/.test(name))),
    ),
    answers: (await readTrajectories(join(outputDir, 'rollouts/step-15.jsonl'))).map(({ text }) => text),
  });

  function start(directory: string): ChildProcess {
    return spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', 'train', join(directory, 'run.yaml')], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }

  const ended = (child: ChildProcess) =>
    new Promise<{ code: number | null; signal: string | null }>((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal }));
    });

  test('after SIGKILL it ends with the same weights, metrics and answers', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    await train(loaded(keys({ ...changes, output_dir: join(directory, 'whole') })), quiet());
    const out = join(directory, 'killed');
    await mkdir(out);
    writeFileSync(join(directory, 'run.yaml'), stringify(keys({ ...changes, output_dir: out })));
    const child = start(directory);
    const watcher = watch(out, { recursive: true }, () => {
      if (existsSync(join(out, 'rollouts/step-6.jsonl'))) child.kill('SIGKILL');
    });
    expect((await ended(child)).signal).toBe('SIGKILL');
    watcher.close();
    expect(readdirSync(out).some((name) => /^checkpoint-\d+$/.test(name))).toBe(true);
    await train(loaded(keys({ ...changes, output_dir: out })), quiet());
    expect(await outcome(out)).toEqual(await outcome(join(directory, 'whole')));
  });

  test('asked to stop while it samples, it saves what it has and goes on from there', async () => {
    const directory = await temporaryDirectory();
    const keys = await setUp(directory);
    await train(loaded(keys({ ...changes, output_dir: join(directory, 'whole') })), quiet());
    const run = loaded(keys({ ...changes, output_dir: join(directory, 'stopped') }));
    const controller = new AbortController();
    const console = recordingConsole();
    const watched = {
      ...console,
      progress: (options: Parameters<typeof console.progress>[0]) => {
        const bar = console.progress(options);
        return {
          ...bar,
          update: (done: number, note?: string) => {
            if (options.label === 'train' && done === 5 && note?.includes('sampling')) controller.abort();
            bar.update(done, note);
          },
        };
      },
    };
    expect(await train(run, { console: watched, signal: controller.signal })).toMatchObject({
      status: 'stopped',
      step: 5,
      checkpoint: join(directory, 'stopped/checkpoint-5'),
    });
    expect(await train(run, quiet())).toMatchObject({ status: 'finished', step: 16 });
    expect(await outcome(join(directory, 'stopped'))).toEqual(await outcome(join(directory, 'whole')));
  });
});
