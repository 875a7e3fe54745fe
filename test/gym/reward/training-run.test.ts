import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig, parseConfig } from '../../../src/config/index.js';
import { writeTrainingFiles } from '../../../src/gym/reward/index.js';
import { readTrajectories } from '../../../src/rollout/index.js';
import { train } from '../../../src/run/index.js';
import { newTokenizerFiles, trainBpe } from '../../../src/tokenizer/index.js';
import { temporaryDirectory } from '../../models/temporary-directory.js';
import { recordingConsole, template, tinyModel } from '../../run/support.js';
import { describeIsolated } from '../support.js';

/** A text is worth the share of its characters with an even code, so that random texts differ. */
const environment = {
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
  }),
  'generator.js': 'export const generate = ({ seed }) => [{ input: { letters: seed } }];',
  'reference.js': "export const answer = () => 'b';",
  'checker.js': `export const check = (input, { text }) =>
    text.length === 0 ? 0 : [...text].filter((c) => c.charCodeAt(0) % 2 === 0).length / [...text].length;`,
};

async function writeAll(directory: string, files: Iterable<readonly [string, string | Uint8Array]>): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [name, text] of files) await writeFile(join(directory, name), text);
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describeIsolated('a config from generateAxolotlConfig', () => {
  it('trains two steps in anneal, with verdicts of the gym as rewards', async () => {
    const directory = await temporaryDirectory();
    const tokenizer = newTokenizerFiles({
      tokenizerJson: trainBpe({ texts: [], vocabSize: 258, specialTokens: ['<end>', '<pad>'] }),
      eosToken: '<end>',
      chatTemplate: template,
    });
    await writeAll(join(directory, 'tokenizer'), tokenizer);
    await writeAll(join(directory, 'environments', 'even_letters'), Object.entries(environment));
    await writeAll(join(directory, 'text'), [['a.jsonl', '{"text": "abc"}\n']]);
    // A base model, as any: in Hugging Face layout.
    const base = join(directory, 'base');
    const first = {
      model_config: { ...tinyModel, vocab_size: 258, max_position_embeddings: 4096 },
      tokenizer_config: join(directory, 'tokenizer'),
      datasets: [{ path: join(directory, 'text', 'a.jsonl'), type: 'completion' }],
      micro_batch_size: 1,
      gradient_accumulation_steps: 1,
      max_steps: 1,
      learning_rate: 1e-4,
      save_strategy: 'no',
      output_dir: base,
    };
    await train(parseConfig(stringify(first)), { console: recordingConsole() });

    vi.stubEnv('ANNEAL_GYM_PATH', join(directory, 'environments'));
    const run = join(directory, 'run');
    const options = { numGenerations: 4, microBatchSize: 4, gradientAccumulationSteps: 1, maxSteps: 2 };
    const sizes = { sequenceLen: 256, maxCompletionLength: 6, outputDir: join(directory, 'out') };
    await writeTrainingFiles({ baseModel: base, environments: ['even_letters'], repeat: 2, ...options, ...sizes }, run);
    // The package by its source, since nothing is installed beside the folder.
    const rewards = await readFile(join(run, 'rewards.mjs'), 'utf8');
    const source = new URL('../../../src/gym/reward/index.ts', import.meta.url).pathname;
    await writeFile(join(run, 'rewards.mjs'), rewards.replace('anneal/gym', source));

    const result = await train(loadConfig(join(run, 'grpo.yaml'), [], { cwd: run }), { console: recordingConsole() });
    expect(result).toMatchObject({ status: 'finished', step: 2 });
    const sampled = await readTrajectories(join(directory, 'out', 'rollouts', 'step-1.jsonl'));
    expect(sampled).toHaveLength(4);
    expect(sampled[0]!.promptText).toMatch(/Write \d+ letters/);
    const given = sampled.map((trajectory) => trajectory.rewards.rowReward);
    expect(given.every((reward) => typeof reward === 'number' && reward >= 0 && reward <= 1)).toBe(true);
    expect(new Set(given).size).toBeGreaterThan(1);
  });
});
