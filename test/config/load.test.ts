import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig, resolvedYaml, UserError } from '../../src/config/index.js';
import { complaints, grpo, load, sft, workspace } from './fixtures.js';

describe('defaults', () => {
  test('are Axolotl’s, and the seed is 42 as documented', () => {
    const { config } = load(sft);
    expect(config).toMatchObject({
      seed: 42,
      sequence_len: 512,
      min_sample_len: 2,
      excess_length_strategy: 'drop',
      num_epochs: 1,
      lr_scheduler: 'cosine',
      max_grad_norm: 1,
      save_total_limit: 4,
      shuffle_merged_datasets: true,
      train_on_inputs: false,
      optimizer: 'adamw',
    });
    expect(config.datasets[0]).toMatchObject({
      field_messages: 'messages',
      roles_to_train: ['assistant'],
      train_on_eos: 'turn',
      train_on_eot: 'turn',
      chat_template: 'tokenizer_default',
      message_property_mappings: { role: 'role', content: 'content' },
    });
  });

  test('of GRPO are TRL’s; epsilon_high follows epsilon, beta follows rl_beta', () => {
    const { config } = load(`${grpo}rl_beta: 0.04\n`);
    expect(config.trl).toMatchObject({
      num_generations: 8,
      epsilon: 0.2,
      epsilon_high: 0.2,
      beta: 0.04,
      loss_type: 'dapo',
      scale_rewards: 'group',
      temperature: 1,
      num_iterations: 1,
      reward_weights: [1, 1],
      generation_batch_size: 16,
    });
    expect(config).not.toHaveProperty('rl_beta');
  });

  test('scale_rewards: true and false mean group and none', () => {
    expect(load(`${grpo}  scale_rewards: false\n`).config.trl?.scale_rewards).toBe('none');
    expect(load(`${grpo}  scale_rewards: true\n`).config.trl?.scale_rewards).toBe('group');
  });
});

test('a loaded config is frozen all the way down', () => {
  const { config } = load(sft);
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.datasets[0])).toBe(true);
  expect(Object.isFrozen(config.engine)).toBe(true);
});

test('numbers written as quoted texts are read, null leaves a key unset', () => {
  const { config } = load(sft.replace('2e-4', '"2e-4"').concat('weight_decay:\nmax_steps: null\nwandb_project:\n'));
  expect(config.learning_rate).toBe(2e-4);
  expect(config.weight_decay).toBe(0);
  expect(config.max_steps).toBeNull();
});

test('nulls inside mappings that are handed on stay', () => {
  const text = sft.replace(
    'base_model: org/model',
    'model_config: {model_type: llama, rope_scaling: null}\ntokenizer_config: org/model',
  );
  expect(load(text).config.model_config).toEqual({ model_type: 'llama', rope_scaling: null });
});

test('batch_size gives the accumulation steps', () => {
  const { config, decisions } = load(sft.replace('gradient_accumulation_steps: 4', 'batch_size: 6'));
  expect(config).toMatchObject({
    micro_batch_size: 2,
    gradient_accumulation_steps: 3,
    batch_size: 6,
    eval_batch_size: 2,
  });
  expect(decisions).toContainEqual({
    key: 'gradient_accumulation_steps',
    value: 3,
    reason: 'batch_size 6 / micro_batch_size 2',
  });
});

test('evaluation data without a schedule is evaluated every epoch, and that is reported', () => {
  const { config, decisions } = load(`${sft}val_set_size: 0.1\n`);
  expect(config.eval_strategy).toBe('epoch');
  expect(decisions.map((decision) => decision.key)).toContain('eval_strategy');
  expect(load(sft).config.eval_strategy).toBe('no');
  expect(load(`${sft}val_set_size: 5\neval_steps: 10\n`).config.eval_strategy).toBe('steps');
});

test('a built-in reward may carry parameters', () => {
  const text = grpo.replace('exact_match]', '{ name: length, max: 200, unit: characters }]');
  expect(load(text).config.trl?.reward_funcs[1]).toEqual({ name: 'length', max: 200, unit: 'characters' });
  expect(complaints(grpo.replace('exact_match]', '{ max: 200 }]'))[0]).toContain('trl.reward_funcs.1');
});

describe('files', () => {
  test('are found in the working directory first, then beside the config; both are named when missing', () => {
    const cwd = workspace();
    const beside = workspace({ 'other.jsonl': '{}\n' });
    const text = sft.replace('rows.jsonl', 'other.jsonl');
    const { config, decisions } = load(text, { cwd, configDirectory: beside });
    expect(config.datasets[0]?.path).toBe(join(beside, 'other.jsonl'));
    expect(decisions.map((decision) => decision.key)).toContain('datasets.0.path');

    const [line] = complaints(sft.replace('rows.jsonl', 'gone.jsonl'), { cwd, configDirectory: beside });
    expect(line).toContain('run.yaml:4:11 datasets.0.path: no such file');
    expect(line).toContain(join(cwd, 'gone.jsonl'));
    expect(line).toContain(join(beside, 'gone.jsonl'));
  });

  test('of models are refused when missing, unless the name is a hub id', () => {
    expect(complaints(sft.replace('org/model', './model'))[0]).toContain('base_model: no such model directory or file');
    expect(load(sft).decisions).toContainEqual(expect.objectContaining({ key: 'base_model', value: 'org/model' }));
    const cwd = workspace();
    mkdirSync(join(cwd, 'org/model'), { recursive: true });
    expect(load(sft, { cwd }).config.base_model).toBe(join(cwd, 'org/model'));
  });

  test('are refused with the nearest name that is there', () => {
    const cwd = workspace();
    expect(complaints(sft.replace('rows.jsonl', 'row.jsonl'), { cwd })[0]).toMatch(
      /datasets\.0\.path: no such file or folder: "row\.jsonl"; looked for .*row\.jsonl; did you mean .*rows\.jsonl\?$/,
    );
  });

  test('of rewards and templates are found, too', () => {
    const cwd = workspace({ 'chat.jinja': '{{ messages }}' });
    expect(load(grpo, { cwd }).config.trl?.reward_funcs).toEqual([
      `${join(cwd, 'rewards.ts')}#accuracy`,
      'exact_match',
    ]);
    expect(complaints(grpo.replace('rewards.ts', 'gone.ts'))[0]).toContain('trl.reward_funcs.0: no such file');
    const { config } = load(`${sft}chat_template_jinja: chat.jinja\n`, { cwd });
    expect(config.chat_template_jinja).toBe('{{ messages }}');
    expect(config.datasets[0]).toMatchObject({ chat_template: 'jinja', chat_template_jinja: '{{ messages }}' });
  });

  test('are not looked for when asked not to', () => {
    expect(load(sft.replace('rows.jsonl', 'gone.jsonl'), { checkPaths: false }).config.seed).toBe(42);
  });
});

test('the resolved config loads to the same config', () => {
  const lora = 'adapter: lora\nlora_r: 8\nlora_alpha: 16\nlora_target_modules: [q_proj]\n';
  for (const text of [`${sft}${lora}val_set_size: 0.5\nchat_template_kwargs: {a: null}\n`, `${grpo}rl_beta: 0.1\n`]) {
    const { config } = load(text);
    expect(load(resolvedYaml(config)).config).toEqual(config);
  }
});

test('a config is loaded from its file, with the text as it was written', () => {
  const cwd = workspace({ 'run.yaml': sft });
  const loaded = loadConfig('run.yaml', ['--seed', '7'], { cwd });
  expect(loaded.config.seed).toBe(7);
  expect(loaded.source).toBe(sft);
  expect(loaded.config.output_dir).toBe(join(cwd, 'model-out'));
  expect(() => loadConfig('rum.yaml', [], { cwd })).toThrow(
    new UserError(`there is no config ${join(cwd, 'rum.yaml')}; did you mean ${join(cwd, 'run.yaml')}?`),
  );
  expect(() => loadConfig('zzzzzzzzzz/run.yaml', [], { cwd })).toThrow(/there is no config .*zzzzzzzzzz.run\.yaml$/);
});

test('model_config is read from a file', () => {
  const cwd = workspace({ 'config.json': '{"model_type": "llama"}', 'broken.json': '{' });
  const text = (name: string) =>
    sft.replace('base_model: org/model', `model_config: ${name}\ntokenizer_config: org/model`);
  expect(load(text('config.json'), { cwd }).config.model_config).toEqual({ model_type: 'llama' });
  writeFileSync(join(cwd, 'broken.json'), '{');
  expect(complaints(text('broken.json'), { cwd })[0]).toContain('run.yaml:2:15 model_config:');
});
