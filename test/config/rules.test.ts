import { expect, test } from 'vitest';
import { parseConfig, resolvedYaml } from '../../src/config/index.js';
import { complaints, environments, grpo, sft } from './fixtures.js';

const lora = 'adapter: lora\nlora_r: 8\nlora_alpha: 16\nlora_target_linear: true\n';
const batch = 'micro_batch_size: 2\ngradient_accumulation_steps: 4\n';

/** [what the config does, the config, the key complained about, what the message says] */
const refused: readonly (readonly [string, string, string, RegExp])[] = [
  ['no model', sft.replace('base_model: org/model\n', ''), 'base_model', /missing/],
  ['two models', `${sft}model_config: {}\n`, 'model_config', /excludes base_model/],
  [
    'model_config without tokenizer',
    sft.replace('base_model: org/model', 'model_config: {}'),
    'tokenizer_config',
    /missing/,
  ],
  ['jinja without template', `${sft}chat_template: jinja\n`, 'chat_template', /chat_template_jinja/],
  ['no datasets', sft.replace(/datasets:[\s\S]*template\n/, ''), 'datasets', /missing/],
  [
    'val_set_size with test_datasets',
    `${sft}val_set_size: 0.1\ntest_datasets: [{path: rows.jsonl, type: alpaca}]\n`,
    'val_set_size',
    /test_datasets/,
  ],
  ['val_set_size between', `${sft}val_set_size: 1.5\n`, 'val_set_size', /whole number of rows/],
  ['nothing to evaluate on', `${sft}val_set_size: 0\neval_steps: 5\n`, 'eval_steps', /nothing to evaluate on/],
  [
    'fewer than two batch keys',
    sft.replace('gradient_accumulation_steps: 4\n', ''),
    'gradient_accumulation_steps',
    /at least two/,
  ],
  ['batch_size and accumulation', `${sft}batch_size: 8\n`, 'batch_size', /excludes gradient_accumulation_steps/],
  [
    'batch_size that does not divide',
    sft.replace(batch, 'micro_batch_size: 2\nbatch_size: 7\n'),
    'batch_size',
    /not a multiple/,
  ],
  ['both warm-ups', `${sft}warmup_steps: 1\nwarmup_ratio: 0.1\n`, 'warmup_ratio', /excludes warmup_steps/],
  ['warm-up of a constant', `${sft}warmup_steps: 1\nlr_scheduler: constant\n`, 'warmup_steps', /constant_with_warmup/],
  [
    'cosine floor without cosine',
    `${sft}cosine_min_lr_ratio: 0.1\nlr_scheduler: linear\n`,
    'cosine_min_lr_ratio',
    /no effect/,
  ],
  ['two save cadences', `${sft}save_steps: 5\nsaves_per_epoch: 2\n`, 'saves_per_epoch', /excludes save_steps/],
  [
    'two eval cadences',
    `${sft}val_set_size: 1\neval_steps: 5\nevals_per_epoch: 2\n`,
    'evals_per_epoch',
    /excludes eval_steps/,
  ],
  ['strategy against steps', `${sft}save_steps: 5\nsave_strategy: epoch\n`, 'save_strategy', /excludes save_steps/],
  ['strategy without steps', `${sft}save_strategy: steps\n`, 'save_strategy', /needs save_steps/],
  ['negative learning rate', sft.replace('2e-4', '-2e-4'), 'learning_rate', /above 0/],
  ['unsupported optimizer', `${sft}optimizer: adamw_bnb_8bit\n`, 'optimizer', /adamw, adamw_torch, adamw_torch_fused/],
  ['lora without rank', `${sft}${lora.replace('lora_r: 8\n', '')}`, 'lora_r', /missing/],
  ['lora without alpha', `${sft}${lora.replace('lora_alpha: 16\n', '')}`, 'lora_alpha', /missing/],
  ['lora without targets', `${sft}${lora.replace('lora_target_linear: true\n', '')}`, 'lora_target_linear', /missing/],
  ['qlora', `${sft}${lora.replace('adapter: lora', 'adapter: qlora')}`, 'adapter', /expected lora/],
  ['lora keys without adapter', `${sft}lora_r: 8\n`, 'lora_r', /no effect without adapter/],
  ['prompts in SFT', sft.replace('chat_template', 'prompt'), 'datasets.0.type', /does not serve supervised/],
  ['instructions in GRPO', grpo.replace('type: prompt', 'type: alpaca'), 'datasets.0.type', /does not serve rl: grpo/],
  [
    'trl without rl',
    grpo.replace('rl: grpo\n', '').replace('type: prompt', 'type: alpaca'),
    'trl',
    /no effect without rl/,
  ],
  ['grpo without trl', grpo.replace(/trl:[\s\S]*/, ''), 'trl', /missing/],
  [
    'environments in SFT',
    sft.replace(/datasets:[\s\S]*template\n/, 'environments: [coin_change]\n'),
    'environments',
    /no effect without rl/,
  ],
  ['environments beside datasets', `${grpo}environments: [coin_change]\n`, 'datasets', /bring their own prompts/],
  ['gym without environments', `${grpo}gym: {retries: 1}\n`, 'gym', /no effect without environments/],
  [
    'environments with a batch that cuts groups',
    `${environments.replace('micro_batch_size: 8', 'micro_batch_size: 6')}`,
    'gradient_accumulation_steps',
    /works with micro_batch_size 6 is 4/,
  ],
  ['unsupported method', grpo.replace('rl: grpo', 'rl: dpo'), 'rl', /expected grpo/],
  ['packing in rl', `${grpo}sample_packing: true\n`, 'sample_packing', /does not pack/],
  ['two betas', `${grpo}  beta: 0.1\nrl_beta: 0.2\n`, 'rl_beta', /trl\.beta is 0\.1/],
  ['group of one', `${grpo}  num_generations: 1\n`, 'trl.num_generations', /at least 2/],
  [
    'batch that cuts groups',
    grpo.replace('micro_batch_size: 8', 'micro_batch_size: 6'),
    'gradient_accumulation_steps',
    /works with micro_batch_size 6 is 4/,
  ],
  [
    'generation batch that cuts groups',
    `${grpo}  generation_batch_size: 20\n`,
    'trl.generation_batch_size',
    /num_generations \(8\)/,
  ],
  ['weights without rewards', `${grpo}  reward_weights: [1]\n`, 'trl.reward_weights', /1 weights for 2/],
  ['a Python reward', grpo.replace('exact_match', 'rewards.exact'), 'trl.reward_funcs.1', /Python/],
  [
    'a reward file without function',
    grpo.replace('exact_match', './rewards.ts'),
    'trl.reward_funcs.1',
    /rewards\.ts#name/,
  ],
  ['no room for prompts', `${grpo}  max_completion_length: 512\n`, 'trl.max_completion_length', /no room/],
  ['min_sample_len above sequence_len', `${sft}min_sample_len: 600\n`, 'min_sample_len', /sequence_len/],
];

test.each(refused)('refuses: %s', (_, text, key, message) => {
  const lines = complaints(text);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(` ${key}: `);
  expect(lines[0]).toMatch(message);
});

test('environments need neither datasets nor trl, and bring their own evaluation', () => {
  expect(complaints(environments)).toEqual([]);
  expect(complaints(`${environments}eval_steps: 5\n`)).toEqual([]);
  const { config } = parseConfig(environments, { checkPaths: false });
  expect(config.environments).toEqual([{ name: 'coin_change', variant: null, eval_variant: 'eval', language: null }]);
  expect(config.trl).toMatchObject({ num_generations: 8, reward_funcs: [], reward_weights: [] });
  expect(parseConfig(resolvedYaml(config), { checkPaths: false }).config).toEqual(config);
});

test('accepts what the refused configs were made from', () => {
  expect(complaints(sft)).toEqual([]);
  expect(complaints(`${sft}${lora}`)).toEqual([]);
  expect(complaints(grpo)).toEqual([]);
  expect(complaints(`${sft}val_set_size: 1\n`)).toEqual([]);
});
