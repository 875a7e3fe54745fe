import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, type LoadedConfig, type ParseOptions, parseConfig } from '../../src/config/index.js';

/** A directory with a data file, a reward file and whatever else is named. */
export function workspace(files: Readonly<Record<string, string>> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'anneal-config-'));
  for (const [name, text] of Object.entries({ 'rows.jsonl': '{}\n', 'rewards.ts': '', ...files })) {
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

export const sft = `
base_model: org/model
datasets:
  - path: rows.jsonl
    type: chat_template
micro_batch_size: 2
gradient_accumulation_steps: 4
learning_rate: 2e-4
`;

export const grpo = `
base_model: org/model
datasets:
  - path: rows.jsonl
    type: prompt
micro_batch_size: 8
gradient_accumulation_steps: 2
learning_rate: 1e-5
rl: grpo
trl:
  reward_funcs: [./rewards.ts#accuracy, exact_match]
`;

export const environments = `
base_model: org/model
environments: [coin_change]
micro_batch_size: 8
gradient_accumulation_steps: 2
learning_rate: 1e-5
rl: grpo
`;

const shared = workspace();

export function load(text: string, options: ParseOptions = {}): LoadedConfig {
  return parseConfig(text, { cwd: shared, file: 'run.yaml', ...options });
}

/** The lines of the error that a config is refused with. */
export function complaints(text: string, options: ParseOptions = {}): string[] {
  try {
    load(text, options);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}
