import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { type LoadedConfig, parseConfig } from '../../src/config/index.js';
import { type Console, createConsole, readMetrics } from '../../src/observe/index.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const tokenizerPath = join(root, 'test/golden/tokenizers/smollm');

export const template =
  '{% for m in messages %}{{ m.role }}: {{ m.content }}{{ eos_token }}\n{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}';

export const tinyModel = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: 32,
  intermediate_size: 64,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 256,
};

/** Writes `rows.jsonl` with sums and their answers. */
export function writeRows(directory: string, count: number): string {
  const rows = Array.from({ length: count }, (_, i) => {
    const [a, b] = [(i * 7) % 20, (i * 3) % 11];
    const messages = [
      { role: 'user', content: `What is ${a} plus ${b}?` },
      { role: 'assistant', content: `${a} plus ${b} is ${a + b}${'.'.repeat(1 + (i % 4))}` },
    ];
    return JSON.stringify({ messages });
  });
  const path = join(directory, 'rows.jsonl');
  writeFileSync(path, `${rows.join('\n')}\n`);
  return path;
}

/** A run of a tiny model from random weights on `rows.jsonl`, with keys replaced. */
export function tinyKeys(directory: string, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    ...(changes.base_model === undefined && { model_config: tinyModel, tokenizer_config: tokenizerPath }),
    chat_template_jinja: template,
    datasets: [{ path: join(directory, 'rows.jsonl'), type: 'chat_template' }],
    sequence_len: 64,
    micro_batch_size: 4,
    gradient_accumulation_steps: 2,
    learning_rate: 1e-2,
    lr_scheduler: 'constant',
    ...(changes.save_steps === undefined && { save_strategy: 'no' }),
    use_tensorboard: false,
    output_dir: join(directory, 'out'),
    engine: { threads: 1 },
    ...changes,
  };
}

export function tinyRun(directory: string, changes: Record<string, unknown> = {}): LoadedConfig {
  return parseConfig(stringify(tinyKeys(directory, changes)));
}

/** A console that keeps its lines. */
export function recordingConsole(): Console & { readonly lines: string[] } {
  const lines: string[] = [];
  const stream = { write: (text: string) => lines.push(...text.split('\n').filter((line) => line !== '')) };
  return { ...createConsole({ stderr: stream, stdout: stream, colour: false }), lines };
}

/** Values of one metric in the order of their steps. */
export function metric(outputDir: string, name: string): number[] {
  return readMetrics(join(outputDir, 'metrics.jsonl')).flatMap((record) =>
    typeof record[name] === 'number' ? [record[name]] : [],
  );
}
