import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openReplier } from '../../src/cli/replier.js';
import { defaultSettings } from '../../src/cli/sampling.js';
import { parseConfig } from '../../src/config/index.js';
import { findModel, train } from '../../src/run/index.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { metric, recordingConsole } from './support.js';

// SmolLM2-135M-Instruct as a GGUF file, and rows with `question` and `answer` such as GSM8K's.
const { ANNEAL_SMOLLM2_GGUF: gguf, ANNEAL_GSM8K: rows } = process.env;
const missing = gguf === undefined ? 'ANNEAL_SMOLLM2_GGUF is not set' : rows === undefined && 'ANNEAL_GSM8K is not set';

describe.skipIf(missing)(`SmolLM2-135M-Instruct${missing ? ` (skipped: ${missing})` : ''}`, () => {
  test('LoRA lowers the loss within eight steps, and the model answers before and after', {
    timeout: 900_000,
  }, async () => {
    const outputDir = join(await temporaryDirectory(), 'out');
    const keys = {
      base_model: gguf,
      adapter: 'lora',
      lora_r: 16,
      lora_alpha: 32,
      lora_target_linear: true,
      datasets: [{ path: rows, type: 'alpaca', field_instruction: 'question', field_output: 'answer' }],
      sequence_len: 384,
      micro_batch_size: 2,
      gradient_accumulation_steps: 2,
      learning_rate: 3e-4,
      lr_scheduler: 'constant',
      max_steps: 8,
      save_strategy: 'no',
      output_dir: outputDir,
    };
    await train(parseConfig(JSON.stringify(keys)), { console: recordingConsole() });
    const losses = metric(outputDir, 'loss');
    const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(losses.slice(-3))).toBeLessThan(mean(losses.slice(0, 3)));

    for (const path of [gguf!, outputDir]) {
      const replier = await openReplier(await findModel(path, recordingConsole()));
      const settings = { ...defaultSettings, temperature: 0, repetition_penalty: 1, max_new_tokens: 24 };
      const question = [{ role: 'user', content: 'What is the capital of France?' }];
      expect((await replier.reply(question, settings, () => {})).text).toContain('Paris');
      await replier.close();
    }
  });
});
