import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatNumber } from './format.js';
import type { MetricChange } from './report.js';

export interface ModelCard {
  readonly name: string;
  /** Hub id or path of the model that training began with; null when it began with random weights. */
  readonly baseModel: string | null;
  /** `sft`, `grpo`. */
  readonly method: string;
  /** The directory holds a LoRA adapter, not a whole model. */
  readonly adapter: boolean;
  /** The config as the user wrote it. */
  readonly yaml: string;
  readonly metrics: readonly MetricChange[];
  /** Further facts: steps, tokens, versions. */
  readonly facts: readonly (readonly [label: string, value: string])[];
}

/** The text of a model's README.md: hub metadata, how to load it, what came out, and the config. */
export function renderModelCard(card: ModelCard): string {
  // A local path means nothing to a reader elsewhere, and the hub refuses it.
  const hubBase = card.baseModel !== null && /^[\w.-]+\/[\w.-]+$/.test(card.baseModel) ? card.baseModel : null;
  const front = [
    '---',
    ...(hubBase === null ? [] : [`base_model: ${hubBase}`]),
    `library_name: ${card.adapter ? 'peft' : 'transformers'}`,
    'pipeline_tag: text-generation',
    'tags:',
    ...['anneal', card.method, ...(card.adapter ? ['lora'] : [])].map((tag) => `- ${tag}`),
    '---',
  ];
  const origin =
    card.baseModel === null
      ? 'from random weights'
      : `from ${hubBase === null ? 'a local checkpoint' : `[${hubBase}](https://huggingface.co/${hubBase})`}`;
  const kind = card.adapter ? 'A LoRA adapter' : 'A language model';
  const table = (head: string, rows: readonly string[]) => [head, head.replace(/[^|]+/g, ' --- '), ...rows, ''];
  const fence = longestFence(card.yaml);
  return [
    ...front,
    '',
    `# ${card.name}`,
    '',
    `${kind}, trained with ${card.method.toUpperCase()} ${origin}.`,
    '',
    ...(card.facts.length === 0
      ? []
      : table(
          '| | |',
          card.facts.map(([label, value]) => `| ${label} | ${value} |`),
        )),
    ...(card.metrics.length === 0
      ? []
      : [
          '## Results',
          '',
          ...table(
            '| metric | first | last |',
            card.metrics.map(({ name, first, last }) => `| ${name} | ${formatNumber(first)} | ${formatNumber(last)} |`),
          ),
        ]),
    '## Use',
    '',
    '```python',
    ...loadingCode(card.adapter),
    '```',
    '',
    '## Config',
    '',
    `${fence}yaml`,
    card.yaml.trimEnd(),
    fence,
    '',
  ].join('\n');
}

function loadingCode(adapter: boolean): string[] {
  const model = adapter
    ? [
        'from peft import AutoPeftModelForCausalLM',
        'from transformers import AutoTokenizer',
        '',
        'model = AutoPeftModelForCausalLM.from_pretrained(".")',
      ]
    : [
        'from transformers import AutoModelForCausalLM, AutoTokenizer',
        '',
        'model = AutoModelForCausalLM.from_pretrained(".")',
      ];
  return [...model, 'tokenizer = AutoTokenizer.from_pretrained(".")'];
}

/** A code fence longer than any run of backticks inside. */
function longestFence(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  return '`'.repeat(longest + 1);
}

/** Writes README.md into `directory`. */
export function writeModelCard(directory: string, card: ModelCard): void {
  writeFileSync(join(directory, 'README.md'), renderModelCard(card));
}
