import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.js';
import { train } from '../../src/run/index.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { metric, recordingConsole, root, template, tinyModel, tinyRun, tokenizerPath, writeRows } from './support.js';

const supervised = ['from-scratch.yaml', 'sft-full.yaml', 'sft-lora.yaml'];

test('every example of supervised fine-tuning is tried here', () => {
  const names = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.yaml'));
  expect(names.filter((name) => !name.startsWith('grpo')).sort()).toEqual(supervised);
});

test.each(supervised)('%s trains, with a tiny model in place of its own', async (name) => {
  const directory = await temporaryDirectory();
  const base = join(directory, 'base');
  writeRows(directory, 8);
  const model_config = { ...tinyModel, max_position_embeddings: 512 };
  await train(tinyRun(directory, { model_config, max_steps: 1, output_dir: base }), { console: recordingConsole() });

  const outputDir = join(directory, 'example');
  const overrides = ['--max-steps=2', '--logging-steps=1', '--engine.threads=1', '--output-dir', outputDir];
  const own =
    name === 'from-scratch.yaml'
      ? ['--tokenizer-config', tokenizerPath]
      : ['--base-model', base, '--chat-template-jinja', template];
  const result = await train(loadConfig(join(root, 'examples', name), [...overrides, ...own]), {
    console: recordingConsole(),
  });
  expect(result).toMatchObject({ status: 'finished', step: 2 });
  expect(metric(outputDir, 'loss')).toHaveLength(2);
  const weights = name === 'sft-lora.yaml' ? 'adapter_model.safetensors' : 'model.safetensors';
  expect(existsSync(join(outputDir, weights))).toBe(true);
});
