import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readMetrics } from '../../src/observe/index.js';
import { train } from '../../src/run/index.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { metric, recordingConsole, root, tinyKeys, tinyModel, tinyRun, writeRows } from './support.js';

function startTraining(directory: string, ...flags: string[]): ChildProcess {
  return spawn(
    process.execPath,
    ['--import', 'tsx', 'src/cli/main.ts', 'train', join(directory, 'run.yaml'), ...flags],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
}

const exit = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: string | null; stderr: string }>((resolve) => {
    let stderr = '';
    child.stderr!.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('close', (code, signal) => resolve({ code, signal, stderr }));
  });

/** Sends one signal as soon as `reached` holds; it is looked at on every change below the directory. */
async function killWhen(child: ChildProcess, directory: string, signal: NodeJS.Signals, reached: () => boolean) {
  const ended = exit(child);
  await mkdir(directory, { recursive: true });
  const watcher = watch(directory, { recursive: true }, () => {
    if (child.killed || !reached()) return;
    child.kill(signal);
  });
  const result = await ended;
  watcher.close();
  return result;
}

const stepReached = (outputDir: string, step: number) => () =>
  existsSync(join(outputDir, 'metrics.jsonl')) &&
  readMetrics(join(outputDir, 'metrics.jsonl')).some((record) => record.step >= step);

describe('a run that is killed and continued', () => {
  let directory: string;
  const keys = (name: string) =>
    tinyKeys(directory, {
      model_config: { ...tinyModel, hidden_size: 64, intermediate_size: 256 },
      val_set_size: 4,
      eval_steps: 20,
      learning_rate: 1e-3,
      lr_scheduler: 'cosine',
      max_steps: 45,
      save_steps: 5,
      save_total_limit: 2,
      logging_steps: 3,
      micro_batch_size: 8,
      output_dir: join(directory, name),
      auto_resume_from_checkpoints: true,
    });
  const outcome = (name: string) => ({
    weights: readFileSync(join(directory, name, 'model.safetensors')),
    losses: [...metric(join(directory, name), 'loss'), ...metric(join(directory, name), 'eval_loss')],
    steps: readMetrics(join(directory, name, 'metrics.jsonl')).map((record) => record.step),
  });
  let expected: ReturnType<typeof outcome>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'anneal-test-'));
    writeRows(directory, 60);
    writeFileSync(join(directory, 'run.yaml'), stringify(keys('whole')));
    expect((await exit(startTraining(directory))).code).toBe(0);
    expected = outcome('whole');
    expect(expected.losses).toHaveLength(15 + 4);
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const moments: [string, (outputDir: string) => () => boolean][] = [
    ['between two checkpoints', (outputDir) => stepReached(outputDir, 18)],
    ['while a checkpoint is being written', (outputDir) => () => existsSync(join(outputDir, '.checkpoint-25.tmp'))],
    ['when a checkpoint has just appeared', (outputDir) => () => existsSync(join(outputDir, 'checkpoint-35'))],
  ];
  test.each(moments)('%s ends with the same bytes', async (moment, reached) => {
    const name = `killed ${moment}`;
    const outputDir = join(directory, name);
    writeFileSync(join(directory, 'run.yaml'), stringify(keys(name)));
    const killed = await killWhen(startTraining(directory), outputDir, 'SIGKILL', reached(outputDir));
    expect(killed.signal).toBe('SIGKILL');
    expect(existsSync(join(outputDir, 'model.safetensors'))).toBe(false);
    for (const entry of readdirSync(outputDir).filter((entry) => entry.startsWith('checkpoint-'))) {
      expect(readdirSync(join(outputDir, entry))).toContain('trainer_state.json');
    }

    const resumed = await exit(startTraining(directory));
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toMatch(/continues .*checkpoint-\d+ \(step \d+\)/);
    const result = outcome(name);
    expect(result.weights.equals(expected.weights)).toBe(true);
    expect(result.losses).toEqual(expected.losses);
    expect(result.steps).toEqual(expected.steps);
    expect(
      readdirSync(outputDir)
        .filter((entry) => entry.includes('checkpoint-'))
        .sort(),
    ).toEqual(['checkpoint-40', 'checkpoint-45']);
  });

  test('SIGINT saves a checkpoint, exits with 130 and says how to go on', async () => {
    const outputDir = join(directory, 'interrupted');
    writeFileSync(join(directory, 'run.yaml'), stringify({ ...keys('interrupted'), save_steps: 50 }));
    const stopped = await killWhen(startTraining(directory), outputDir, 'SIGINT', stepReached(outputDir, 9));
    expect(stopped.code, stopped.stderr).toBe(130);
    const step = Number(/stopped at step (\d+); saved .*checkpoint-\1\n/.exec(stopped.stderr)?.[1]);
    expect(step).toBeGreaterThanOrEqual(9);
    expect(stopped.stderr).toContain('--auto-resume-from-checkpoints');
    const resumed = await exit(
      startTraining(directory, '--resume-from-checkpoint', join(outputDir, `checkpoint-${step}`)),
    );
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(outcome('interrupted').weights.equals(expected.weights)).toBe(true);
  });
});

describe('stopping inside a step', () => {
  test('the micro-batches of the unfinished step leave no trace, with dropout too', async () => {
    const directory = await temporaryDirectory();
    writeRows(directory, 40);
    await train(tinyRun(directory, { max_steps: 1, output_dir: join(directory, 'base') }), {
      console: recordingConsole(),
    });
    const keys = {
      base_model: join(directory, 'base'),
      adapter: 'lora',
      lora_r: 4,
      lora_alpha: 8,
      lora_dropout: 0.2,
      lora_target_linear: true,
      micro_batch_size: 2,
      gradient_accumulation_steps: 4,
      max_steps: 6,
      logging_steps: 1,
      auto_resume_from_checkpoints: true,
    };
    const whole = tinyRun(directory, { ...keys, output_dir: join(directory, 'whole') });
    await train(whole, { console: recordingConsole() });

    const run = tinyRun(directory, { ...keys, output_dir: join(directory, 'stopped') });
    const controller = new AbortController();
    const console = recordingConsole();
    // The bar moves at the end of each step; the signal fires while the next one is under way.
    const watched = {
      ...console,
      progress: (options: Parameters<typeof console.progress>[0]) => {
        const bar = console.progress(options);
        return {
          ...bar,
          update: (done: number, note?: string) => {
            bar.update(done, note);
            if (options.label === 'train' && done === 3) setTimeout(() => controller.abort());
          },
        };
      },
    };
    const stopped = await train(run, { console: watched, signal: controller.signal });
    expect(stopped).toMatchObject({ status: 'stopped', step: 3, checkpoint: join(directory, 'stopped/checkpoint-3') });
    expect(await train(run, { console: recordingConsole() })).toMatchObject({ status: 'finished', step: 6 });
    const bytes = (name: string) => readFileSync(join(directory, name, 'adapter_model.safetensors'));
    expect(bytes('stopped').equals(bytes('whole'))).toBe(true);
    expect(metric(join(directory, 'stopped'), 'loss')).toEqual(metric(join(directory, 'whole'), 'loss'));
  });

  test('an evaluation that was cut short is made up for', async () => {
    const directory = await temporaryDirectory();
    writeRows(directory, 24);
    const keys = {
      val_set_size: 8,
      eval_batch_size: 1,
      eval_steps: 2,
      max_steps: 4,
      auto_resume_from_checkpoints: true,
    };
    const run = tinyRun(directory, keys);
    const controller = new AbortController();
    const console = recordingConsole();
    let evaluations = 0;
    const watched = {
      ...console,
      progress: (options: Parameters<typeof console.progress>[0]) => {
        if (options.label === 'evaluate') evaluations++;
        const bar = console.progress(options);
        return {
          ...bar,
          update: (done: number, note?: string) => {
            bar.update(done, note);
            if (options.label === 'evaluate' && evaluations === 2 && done === 3) controller.abort();
          },
        };
      },
    };
    expect(await train(run, { console: watched, signal: controller.signal })).toMatchObject({
      status: 'stopped',
      step: 2,
    });
    await train(run, { console: recordingConsole() });
    const records = readMetrics(join(directory, 'out/metrics.jsonl'));
    expect(records.filter((record) => 'eval_loss' in record).map((record) => record.step)).toEqual([0, 2, 4]);
  });
});

describe('what cannot be continued', () => {
  test('a changed config is refused with the keys that changed; harmless keys may change', async () => {
    const directory = await temporaryDirectory();
    writeRows(directory, 16);
    await train(tinyRun(directory, { max_steps: 2, save_steps: 1 }), { console: recordingConsole() });
    const again = (changes: Record<string, unknown>) =>
      train(tinyRun(directory, { max_steps: 2, save_steps: 1, auto_resume_from_checkpoints: true, ...changes }), {
        console: recordingConsole(),
      });
    await expect(again({ learning_rate: 2e-2, micro_batch_size: 2 })).rejects.toThrow(
      /checkpoint-2 cannot be continued[\s\S]*micro_batch_size: was 4, is 2[\s\S]*learning_rate: was 0\.01, is 0\.02/,
    );
    await expect(again({ train_on_inputs: true })).rejects.toThrow(
      /the training data has changed: train_on_inputs: was false, is true/,
    );
    await expect(again({ model_config: { ...tinyModel, hidden_size: 64 } })).rejects.toThrow(
      /the model to start from has changed: model_config\.hidden_size: was 32, is 64$/m,
    );
    expect(await again({ save_total_limit: 1, logging_steps: 2 })).toMatchObject({ status: 'finished', step: 2 });
    writeFileSync(
      join(directory, 'rows.jsonl'),
      readFileSync(join(directory, 'rows.jsonl'), 'utf8').replace('What', 'How'),
    );
    await expect(again({})).rejects.toThrow(/the training data has changed, under the same config keys/);
    await expect(again({ resume_from_checkpoint: directory })).rejects.toThrow(/is no checkpoint.*trainer_state\.json/);
  });

  test('metrics that a crash cut short go on with a warning; broken ones are an error before anything is read', async () => {
    const directory = await temporaryDirectory();
    writeRows(directory, 16);
    const run = tinyRun(directory, { max_steps: 2, save_steps: 1, auto_resume_from_checkpoints: true });
    await train(run, { console: recordingConsole() });
    const metrics = join(directory, 'out/metrics.jsonl');
    const whole = readFileSync(metrics, 'utf8');
    writeFileSync(metrics, `${whole}{"schema":1,"st`);
    const console = recordingConsole();
    await train(run, { console });
    expect(console.lines.join('\n')).toMatch(/warning: .*metrics\.jsonl:3 was cut short/);
    expect(readFileSync(metrics, 'utf8')).toBe(whole);

    writeFileSync(metrics, `garbage\n${whole}`);
    await rm(join(directory, 'rows.jsonl'));
    await expect(train(run, { console: recordingConsole() })).rejects.toThrow(
      /metrics\.jsonl:1: not a line of metrics: "garbage"\. Remove the line/,
    );
  });

  test('a new run refuses a used output_dir and touches nothing; one that got nowhere may be run again', async () => {
    const directory = await temporaryDirectory();
    writeRows(directory, 16);
    const run = tinyRun(directory, { max_steps: 1, save_steps: 1 });
    await train(run, { console: recordingConsole() });
    const before = readdirSync(join(directory, 'out'));
    await expect(train(run, { console: recordingConsole() })).rejects.toThrow(
      /output_dir .* is not empty: it holds .*checkpoint-1.* Nothing was touched\. .*--auto-resume-from-checkpoints/,
    );
    expect(readdirSync(join(directory, 'out'))).toEqual(before);

    const failing = { learning_rate: 1e30, max_grad_norm: 0, output_dir: join(directory, 'failed') };
    await expect(train(tinyRun(directory, failing), { console: recordingConsole() })).rejects.toThrow(/Step/);
    const second = tinyRun(directory, { ...failing, learning_rate: 1e-3 });
    expect(await train(second, { console: recordingConsole() })).toMatchObject({ status: 'finished' });
  });
});
