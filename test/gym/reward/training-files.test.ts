import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../../src/config/index.js';
import { generateAxolotlConfig, verlRows, writeRows, writeTrainingFiles } from '../../../src/gym/reward/index.js';
import { fakeEnvironment, fakeGym } from './fake-gym.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rows-'));
});
afterEach(() => rm(folder, { recursive: true }));

const environments = [fakeEnvironment('coin'), fakeEnvironment('sum', { domain: 'maths' })];

describe('verlRows', () => {
  it('has what verl, TRL and Axolotl read', async () => {
    expect(await verlRows(environments, { gym: fakeGym() })).toEqual([
      {
        data_source: 'coin',
        prompt: [{ role: 'user', content: 'The task of coin. (train, python)' }],
        ability: 'coding',
        reward_model: { style: 'rule', ground_truth: '' },
        extra_info: { environment: 'coin', variant: 'train', language: 'python', split: 'train', index: 0 },
      },
      {
        data_source: 'sum',
        prompt: [{ role: 'user', content: 'The task of sum. (train, python)' }],
        ability: 'maths',
        reward_model: { style: 'rule', ground_truth: '' },
        extra_info: { environment: 'sum', variant: 'train', language: 'python', split: 'train', index: 1 },
      },
    ]);
  });

  it('repeats, with variant, language and split', async () => {
    const options = { gym: fakeGym(), repeat: 3, variant: 'eval', language: 'javascript', split: 'validation' };
    const rows = await verlRows(environments, options);
    expect(rows.map(({ data_source, extra_info: { index } }) => [data_source, index])).toEqual([
      ['coin', 0],
      ['sum', 1],
      ['coin', 2],
      ['sum', 3],
      ['coin', 4],
      ['sum', 5],
    ]);
    expect(
      new Set(rows.map(({ extra_info: { variant, language, split } }) => `${variant} ${language} ${split}`)),
    ).toEqual(new Set(['eval javascript validation']));
  });

  it('asks another question with each row of a document', async () => {
    const document = fakeEnvironment('report', { kind: 'document', languages: [] });
    const variants = async (variant?: string) => {
      const rows = await verlRows([document], { gym: fakeGym(), repeat: 3, ...(variant && { variant }) });
      return rows.map((row) => row.extra_info.variant);
    };
    expect(await variants()).toEqual(['train', 'train@2', 'train@3']);
    expect(await variants('train@7')).toEqual(['train@7', 'train@8', 'train@9']);
  });

  it('refuses what makes no rows', async () => {
    await expect(verlRows(environments, { gym: fakeGym(), repeat: 0 })).rejects.toThrow('repeat is 0');
    await expect(verlRows(['no_such'], { gym: fakeGym() })).rejects.toThrow('no_such');
    await expect(verlRows(environments, { gym: fakeGym(), language: 'cobol' })).rejects.toThrow('cobol');
  });
});

describe('writeRows', () => {
  it('writes JSONL and Parquet with the same rows', async () => {
    const rows = await verlRows(environments, { gym: fakeGym(), repeat: 2 });
    await writeRows(rows, join(folder, 'data', 'train.jsonl'));
    await writeRows(rows, join(folder, 'data', 'train.parquet'));
    const lines = (await readFile(join(folder, 'data', 'train.jsonl'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
    const file = await asyncBufferFromFile(join(folder, 'data', 'train.parquet'));
    expect(await parquetReadObjects({ file })).toEqual(rows);
    expect(await readdir(join(folder, 'data'))).toEqual(['train.jsonl', 'train.parquet']);
  });

  it('writes texts of any characters, and no rows', async () => {
    const [row] = await verlRows([fakeEnvironment('é"\n\u2028', { task: '日本 🎉\n```' })], { gym: fakeGym() });
    for (const rows of [[row!], []]) {
      await writeRows(rows, join(folder, 'x.parquet'));
      const file = await asyncBufferFromFile(join(folder, 'x.parquet'));
      expect(await parquetReadObjects({ file })).toEqual(rows);
    }
  });

  it('refuses another ending', async () => {
    await expect(writeRows([], join(folder, 'x.csv'))).rejects.toThrow(/\.jsonl or \.parquet/);
  });
});

/** Keys of an Axolotl config that the generated ones use, as its schema names them. */
const axolotlKeys = new Set([
  'adapter',
  'base_model',
  'bf16',
  'datasets',
  'datasets.path',
  'datasets.split',
  'datasets.step_separator',
  'datasets.train_on_last_step_only',
  'datasets.type',
  'eval_batch_size',
  'evals_per_epoch',
  'gradient_accumulation_steps',
  'gradient_checkpointing',
  'learning_rate',
  'logging_steps',
  'lora_alpha',
  'lora_r',
  'lora_target_linear',
  'lr_scheduler',
  'max_grad_norm',
  'max_steps',
  'micro_batch_size',
  'model_type',
  'num_epochs',
  'num_labels',
  'optimizer',
  'output_dir',
  'process_reward_model',
  'remove_unused_columns',
  'rl',
  'sample_packing',
  'save_strategy',
  'seed',
  'sequence_len',
  'trl',
  'trl.max_completion_length',
  'trl.num_generations',
  'trl.reward_funcs',
  'val_set_size',
]);

function keysOf(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => keysOf(item, prefix));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [`${prefix}${key}`, ...keysOf(item, `${prefix}${key}.`)]);
}

const grpo = { method: 'grpo', baseModel: './model', environments: ['coin_change', 'two_sum'] } as const;

describe('generateAxolotlConfig', () => {
  it('grpo is a config that anneal trains on as it stands', () => {
    const { yaml, config } = generateAxolotlConfig(grpo);
    expect(parse(yaml)).toEqual(config);
    const { config: parsed } = parseConfig(yaml, { checkPaths: false });
    expect(parsed).toMatchObject({
      rl: 'grpo',
      sequence_len: 2048,
      trl: {
        num_generations: 8,
        max_completion_length: 1024,
        reward_funcs: [expect.stringMatching(/rewards\.mjs#rowReward$/)],
      },
    });
    expect(parsed.datasets).toMatchObject([{ type: 'prompt', field_prompt: 'prompt' }]);
  });

  it('with LoRA and its other options, too', () => {
    const options = { loraRank: 8, maxSteps: 3, numGenerations: 4, microBatchSize: 4, gradientAccumulationSteps: 1 };
    const { yaml } = generateAxolotlConfig({ ...grpo, ...options, sequenceLen: 512, maxCompletionLength: 100 });
    const { config } = parseConfig(yaml, { checkPaths: false });
    expect(config).toMatchObject({ adapter: 'lora', lora_r: 8, lora_alpha: 16, max_steps: 3, sequence_len: 512 });
  });

  it('for Axolotl it names the Python shim, and the rows without a type', () => {
    const { config } = generateAxolotlConfig({ ...grpo, trainer: 'axolotl' });
    expect(config).toMatchObject({
      trl: { reward_funcs: ['anneal_gym_rewards.row_reward'] },
      datasets: [{ path: 'data/train.jsonl', split: 'train' }],
      eval_batch_size: 8,
    });
  });

  it('prm is for Axolotl', () => {
    const { config, yaml } = generateAxolotlConfig({ method: 'prm', baseModel: 'b' });
    expect(parse(yaml)).toEqual(config);
    expect(config).toMatchObject({
      model_type: 'AutoModelForTokenClassification',
      num_labels: 2,
      process_reward_model: true,
      datasets: [{ type: 'stepwise_supervised', step_separator: '\n\n', train_on_last_step_only: false }],
      remove_unused_columns: false,
    });
  });

  it('uses keys only that Axolotl knows', () => {
    const configs = [
      generateAxolotlConfig(grpo),
      generateAxolotlConfig({ ...grpo, trainer: 'axolotl', loraRank: 8, maxSteps: 2 }),
      generateAxolotlConfig({ method: 'prm', baseModel: 'b', loraRank: 8 }),
    ];
    for (const { config } of configs) {
      expect(keysOf(config).filter((key) => !axolotlKeys.has(key))).toEqual([]);
    }
  });

  it('refuses groups that would be cut, and no environments', () => {
    expect(() => generateAxolotlConfig({ ...grpo, microBatchSize: 3 })).toThrow(/12.*multiple of numGenerations \(8\)/);
    expect(() => generateAxolotlConfig({ ...grpo, environments: [] })).toThrow('environments is empty');
  });

  it.each<[Record<string, unknown>, string]>([
    [{ method: 'grp' }, 'method is grp'],
    [{ baseModel: '' }, 'baseModel is missing'],
    [{ environments: 'coin_change' }, 'no list'],
    [{ environments: ['coin_change\nrl: dpo'] }, 'no name of an environment'],
    [{ trainer: 'trl' }, 'trainer is trl'],
    [{ numGeneration: 4 }, 'no option numGeneration; did you mean "numGenerations"?'],
    [{ numGenerations: 1 }, 'numGenerations is 1'],
    [{ numGenerations: 0 }, 'numGenerations is 0'],
    [{ learningRate: Number.NaN }, 'learningRate is NaN'],
    [{ microBatchSize: 1.5 }, 'microBatchSize is 1.5'],
    [{ loraRank: -1 }, 'loraRank is -1'],
  ])('refuses %j', (changes, message) => {
    const options = { ...grpo, ...changes } as Parameters<typeof generateAxolotlConfig>[0];
    expect(() => generateAxolotlConfig(options)).toThrow(message);
  });
});

describe('writeTrainingFiles', () => {
  it('writes a folder that anneal and Axolotl can be started in', async () => {
    const gym = fakeGym();
    const options = { baseModel: './model', environments: ['coin_change', 'two_sum'], repeat: 2, gym };
    const written = await writeTrainingFiles(options, folder);
    expect(written.map((path) => path.slice(folder.length + 1))).toEqual([
      'data/train.jsonl',
      'grpo.yaml',
      'rewards.mjs',
      'axolotl.yaml',
      'anneal_gym_rewards.py',
    ]);
    await writeFile(join(folder, 'model'), '');
    const yaml = readFileSync(join(folder, 'grpo.yaml'), 'utf8');
    const { config } = parseConfig(yaml, { cwd: folder, file: 'grpo.yaml', configDirectory: folder });
    expect(config.datasets).toMatchObject([{ path: expect.stringMatching(/data\/train\.jsonl$/) }]);
    expect(readFileSync(join(folder, 'rewards.mjs'), 'utf8')).toContain('export const rowReward');
    expect(readFileSync(join(folder, 'anneal_gym_rewards.py'), 'utf8')).toContain('def row_reward(');
    expect(readFileSync(join(folder, 'data/train.jsonl'), 'utf8').trim().split('\n')).toHaveLength(4);
  });
});
