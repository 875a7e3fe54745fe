import { z } from 'zod';
import { flag, optional, text } from './primitives.js';

const specialTokens = z.strictObject({
  bos_token: optional(text).describe('Beginning-of-sequence token.'),
  eos_token: optional(text).describe('End-of-sequence token.'),
  pad_token: optional(text).describe('Padding token.'),
  unk_token: optional(text).describe('Unknown token.'),
});

export const modelKeys = {
  base_model: optional(text).describe(
    'Required unless `model_config` is given. The model to train: a directory in Hugging Face layout, a `.gguf` file, or a hub id such as `HuggingFaceTB/SmolLM2-135M-Instruct`. A path is looked up in the working directory, then beside the YAML file.',
  ),
  model_config: optional(
    z.union([text, z.record(z.string(), z.unknown())], { error: 'expected a mapping or the path of a config.json' }),
  ).describe(
    'Train from random initialisation instead of `base_model`: the contents of a Hugging Face `config.json`, or its path. Needs `tokenizer_config`. (Own to anneal.)',
  ),
  tokenizer_config: optional(text).describe(
    'Where the tokenizer comes from (directory, `tokenizer.json`, `.gguf` file or hub id). Unset: `base_model`.',
  ),
  special_tokens: optional(specialTokens).describe('Special tokens that replace those of the tokenizer.'),
  chat_template: optional(text).describe(
    'The chat template: `tokenizer_default`, `jinja` (then `chat_template_jinja` gives it), or the name of a built-in one. Unset: `tokenizer_default`.',
  ),
  chat_template_jinja: optional(text).describe('A Jinja chat template, or the path of a file that holds one.'),
  chat_template_kwargs: optional(z.record(z.string(), z.unknown())).describe(
    'Further variables of the chat template, such as `enable_thinking: false`.',
  ),
  eot_tokens: optional(z.array(text)).describe(
    'Tokens that end a turn, each a single token. Unset: the end-of-sequence token.',
  ),
};

export const loraKeys = {
  adapter: optional(z.enum(['lora'])).describe(
    '`lora` trains low-rank adapters on a frozen model. Unset: all weights train.',
  ),
  lora_r: optional(z.number().int().min(1)).describe('Rank of the adapters.'),
  lora_alpha: optional(z.number().positive()).describe(
    'Scale: the adapter output is multiplied by `lora_alpha / lora_r`.',
  ),
  lora_dropout: z.number().min(0).lt(1).default(0).describe('Dropout on the input of the adapters.'),
  lora_target_modules: optional(z.array(text).min(1)).describe(
    'Linear layers that get an adapter, such as `[q_proj, v_proj]`.',
  ),
  lora_target_linear: flag(false).describe('Every linear layer except the output head gets an adapter.'),
  peft_use_rslora: flag(false).describe('Rank-stabilised scale: `lora_alpha / sqrt(lora_r)`.'),
  lora_model_dir: optional(text).describe('An adapter in PEFT layout to continue from, to infer with or to merge.'),
};
