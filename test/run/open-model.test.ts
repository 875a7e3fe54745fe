import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { train } from '../../src/run/index.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { recordingConsole, tinyRun, writeRows } from './support.js';

test('a model, an adapter or LoRA targets that cannot be used are refused before the data is read', async () => {
  const directory = await temporaryDirectory();
  writeRows(directory, 8);
  const base = join(directory, 'base');
  await train(tinyRun(directory, { max_steps: 1, output_dir: base }), { console: recordingConsole() });
  const lora = { base_model: base, adapter: 'lora', lora_r: 2, lora_alpha: 4, max_steps: 1 };
  const adapter = join(directory, 'adapter');
  const targets = { lora_target_modules: ['q_proj'] };
  await train(tinyRun(directory, { ...lora, ...targets, output_dir: adapter }), { console: recordingConsole() });

  const refused = async (changes: Record<string, unknown>, message: RegExp) => {
    const console = recordingConsole();
    await expect(train(tinyRun(directory, changes), { console })).rejects.toThrow(message);
    expect(console.lines).toEqual([]);
  };
  await refused({ ...lora, lora_target_modules: ['q_pro'] }, /LoRA target q_pro .* Did you mean q_proj\?/);
  await writeFile(join(adapter, 'adapter_model.safetensors'), 'not');
  await refused({ ...lora, lora_model_dir: adapter }, /adapter_model\.safetensors is not a safetensors file/);
  await writeFile(join(base, 'model.safetensors'), 'not');
  await refused({ ...lora, ...targets }, /model\.safetensors is not a safetensors file/);
});
