import { expect, test } from 'vitest';
import { splitArguments } from '../../src/config/index.js';
import { complaints, grpo, load, sft } from './fixtures.js';

const config = (text: string, ...overrides: string[]) => load(text, { overrides }).config;

test('keys are set in kebab case, in snake case and dotted, with = or a space', () => {
  expect(config(sft, '--learning-rate', '1e-3').learning_rate).toBe(1e-3);
  expect(config(sft, '--learning_rate=1e-3').learning_rate).toBe(1e-3);
  expect(config(grpo, '--trl.num-generations', '4').trl?.num_generations).toBe(4);
  expect(config(sft, '--engine.threads=3').engine.threads).toBe(3);
});

test('booleans need no value; --no- turns them off', () => {
  expect(config(sft, '--sample-packing', '--no-shuffle-merged-datasets')).toMatchObject({
    sample_packing: true,
    shuffle_merged_datasets: false,
  });
  expect(config(sft, '--sample-packing=true').sample_packing).toBe(true);
  expect(config(`${sft}sample_packing: true\n`, '--sample-packing', 'false').sample_packing).toBe(false);
  expect(splitArguments(['--sample-packing', 'run.yaml'], {}).positionals).toEqual(['run.yaml']);
});

test('values are read as the kind that the key wants', () => {
  expect(config(sft, '--chat-template', '42').chat_template).toBe('42');
  expect(config(sft, '--eot-tokens', '<|a|>,<|b|>').eot_tokens).toEqual(['<|a|>', '<|b|>']);
  expect(config(sft, '--eot-tokens=["a,b"]').eot_tokens).toEqual(['a,b']);
  expect(config(sft, '--chat-template-kwargs={x: 1}').chat_template_kwargs).toEqual({ x: 1 });
  expect(config(grpo, '--trl.scale-rewards=false').trl?.scale_rewards).toBe('none');
});

test('items of lists and missing blocks are reached, null unsets', () => {
  expect(config(sft, '--datasets.0.train-on-eos=all').datasets[0]).toMatchObject({ train_on_eos: 'all' });
  const changed = config(sft, '--datasets.1.path=rows.jsonl', '--datasets.1.type', 'alpaca');
  expect(changed.datasets.map((entry) => entry.type)).toEqual(['chat_template', 'alpaca']);
  expect(config(`${sft}max_steps: 5\n`, '--max-steps=null').max_steps).toBeNull();
});

test('wrong values are named by their option, unknown options with the nearest one', () => {
  expect(complaints(sft, { overrides: ['--learning-rate=-1'] })).toEqual([
    '--learning-rate learning_rate: expected a number above 0, got -1',
  ]);
  const overrides = [
    '--learning-rat=1',
    '--trl.bet',
    '2',
    '--num-generations=4',
    '--datasets.7.path=x',
    'stray',
    '--seed',
  ];
  expect(complaints(sft, { overrides })).toEqual([
    'stray: unexpected argument',
    '--learning-rat: no such option; did you mean --learning-rate?',
    '--trl.bet: no such option; did you mean --trl.beta?',
    '--num-generations: no such option; did you mean --trl.num-generations?',
    '--seed: needs a value',
    '--datasets.7.path: datasets has 1 item (the first is 0)',
  ]);
});

test('a command’s own options are told from overrides', () => {
  const split = splitArguments(['run.yaml', '--chat', '--prompt', 'hi', '--sample-packing', '--seed', '3', '--x=1'], {
    chat: 'flag',
    prompt: 'value',
  });
  expect(split).toEqual({
    positionals: ['run.yaml'],
    own: { chat: true, prompt: 'hi' },
    overrides: ['--sample-packing', '--seed=3', '--x=1'],
  });
});

test('a command’s own options without their value, or with one that they do not take, are errors', () => {
  expect(() => splitArguments(['--output'], { output: 'value' })).toThrow('--output needs a value');
  expect(() => splitArguments(['--debug=no'], { debug: 'flag' })).toThrow('--debug takes no value');
});
