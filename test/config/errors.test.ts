import { describe, expect, test } from 'vitest';
import { complaints, grpo, sft } from './fixtures.js';

test('all that is wrong is reported at once, in the order of the file, with line and column', () => {
  const text = sft.replace('learning_rate: 2e-4', 'learning_rat: 1\nlearning_rate: -3\nsample_packing: yes');
  expect(complaints(text)).toEqual([
    'run.yaml:8:1 learning_rat: unknown key; did you mean "learning_rate"?',
    'run.yaml:9:16 learning_rate: expected a number above 0, got -3',
    'run.yaml:10:17 sample_packing: expected true or false, got "yes" (YAML 1.2 knows only true and false)',
  ]);
});

test('keys inside entries and blocks are checked like those at the top', () => {
  const text = sft.replace(
    'type: chat_template',
    'type: chat_template\n    train_on_eos: turns\n    roles_to_train: assistant\n    fields_messages: x',
  );
  expect(complaints(text)).toEqual([
    'run.yaml:6:19 datasets.0.train_on_eos: expected one of all, turn, last, none, got "turns"; did you mean "turn"?',
    'run.yaml:7:21 datasets.0.roles_to_train: expected a list, got "assistant"',
    'run.yaml:8:5 datasets.0.fields_messages: unknown key; did you mean "field_messages"?',
  ]);
  expect(complaints(`${sft}engine: {device: cuda}\n`)).toEqual([
    'run.yaml:9:18 engine.device: expected one of cpu, webgpu, got "cuda"',
  ]);
});

test('an entry is told by its type: options of another type are unknown', () => {
  const [line] = complaints(sft.replace('type: chat_template', 'type: alpaca\n    roles_to_train: [user]'));
  expect(line).toMatch(/^run.yaml:6:5 datasets.0.roles_to_train: unknown key/);
  expect(complaints(sft.replace('    type: chat_template\n', ''))[0]).toBe(
    'run.yaml:4:5 datasets.0.type: missing; expected one of chat_template, alpaca, completion, input_output, prompt',
  );
  expect(complaints(sft.replace('type: chat_template', 'type: chat_templat'))[0]).toContain(
    'did you mean "chat_template"?',
  );
});

test('a key of a block that stands at the top is sent to its block', () => {
  expect(complaints(`${grpo}num_generations: 4\n`)).toEqual([
    'run.yaml:12:1 num_generations: unknown key; did you mean "trl.num_generations"?',
  ]);
});

test('repeated keys and broken YAML are errors with their place', () => {
  expect(complaints(`${sft}seed: 1\nseed: 2\n`)).toEqual(['run.yaml:10:1 "seed" is given more than once']);
  expect(complaints('a: "x')[0]).toMatch(/^run.yaml:1:\d+ YAML: /);
  expect(complaints('')).toEqual(['run.yaml:1:1 the config is empty']);
  expect(complaints('- a')).toEqual(['run.yaml:1:1 expected a mapping of keys to values']);
});

test('values behind anchors are named where they stand', () => {
  const text = `${sft}test_datasets:\n  - &rows {path: rows.jsonl, type: alpaca, fiel_input: x}\n`;
  expect(complaints(text)[0]).toBe(
    'run.yaml:10:44 test_datasets.0.fiel_input: unknown key; did you mean "field_input"?',
  );
});

describe('migrations', () => {
  test('old spellings say what they are called now', () => {
    expect(complaints(`${grpo}dpo_beta: 0.1\n`)[0]).toBe('run.yaml:12:1 dpo_beta: is called rl_beta now');
    expect(complaints(sft.replace('type: chat_template', 'type: sharegpt'))).toEqual([
      expect.stringMatching(
        /^run.yaml:5:11 datasets.0.type: sharegpt was replaced by chat_template; write `type: chat_template`/,
      ),
    ]);
    expect(complaints(sft.replace('type: chat_template', 'type: chat_template\n    split: train'))[0]).toContain(
      'test_datasets',
    );
  });

  test('keys of Axolotl without a counterpart give the reason; null and false pass', () => {
    expect(complaints(`${sft}bf16: auto\n`)[0]).toContain(
      'bf16: not a key of anneal: the local engine computes in float32',
    );
    expect(complaints(`${sft}unsloth_rope: true\n`)[0]).toContain('removed');
    expect(complaints(`${sft}load_in_8bit: false\nwandb_project:\n`)).toEqual([]);
    expect(complaints(`${sft}no_such_thing:\n`)[0]).toContain('unknown key');
  });
});

test('aliases that lead nowhere or unfold without bounds are errors of the file', () => {
  expect(complaints('seed: *nowhere\n')[0]).toMatch(/^run.yaml YAML: .*nowhere/);
  const levels = 'abcdefghi'.split('').map((name, i) => {
    const before = String.fromCharCode(name.charCodeAt(0) - 1);
    return i === 0 ? "a: &a ['x']" : `${name}: &${name} [${Array(10).fill(`*${before}`).join(',')}]`;
  });
  expect(complaints(levels.join('\n'))).toHaveLength(1);
});

test('a file that is no YAML is told in a few lines, several documents in one', () => {
  const lines = complaints('{"prompt": "a"}\n'.repeat(50));
  expect(lines).toHaveLength(6);
  expect(lines[5]).toMatch(/more errors of syntax/);
  expect(complaints('a: 1\n---\nb: 2\n')).toEqual(['run.yaml:2:1 a second document begins; a config is one']);
});

test('names that every JavaScript object has are unknown keys like others', () => {
  for (const key of ['__proto__', 'constructor', 'toString']) {
    expect(complaints(`${sft}${key}: {x: 1}\n`)).toEqual([`run.yaml:9:1 ${key}: unknown key`]);
    const inEntry = sft.replace('type: chat_template', `type: chat_template\n    ${key}: 1`);
    expect(complaints(inEntry)[0]).toMatch(/^run.yaml:6:5 datasets.0.\w+: unknown key/);
  }
});

test('numbers that JSON does not have are shown as they are', () => {
  expect(complaints(`${sft}max_steps: 1e999\n`)[0]).toContain('got Infinity');
  expect(complaints(`${sft}max_steps: .nan\n`)[0]).toContain('got NaN');
});

test('lengths and thread counts beyond all sense are refused', () => {
  expect(complaints(`${sft}num_epochs: 1e300\n`)).toEqual([
    'run.yaml:9:13 num_epochs: expected a number at most 1000000, got 1e+300',
  ]);
  expect(complaints(`${sft}engine: {threads: 100000}\n`)[0]).toContain('expected a number at most 256');
});
