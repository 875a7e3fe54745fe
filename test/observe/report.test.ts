import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  formatBytes,
  formatDuration,
  formatNumber,
  formatPlan,
  formatSummary,
  metricChanges,
  renderModelCard,
} from '../../src/observe/index.js';

test('numbers and times are short and readable', () => {
  expect([1.23456, 0.00002, 12345.6, 0, Number.NaN, 3].map(formatNumber)).toEqual([
    '1.235',
    '2e-5',
    '12346',
    '0',
    'NaN',
    '3',
  ]);
  expect([7, 750, 11_100].map(formatDuration)).toEqual(['0:07', '12:30', '3:05:00']);
  expect([12, 1500, 2_340_000_000].map(formatBytes)).toEqual(['12 B', '1.5 kB', '2.34 GB']);
});

test('the plan shows every automatic decision with its reason', () => {
  const text = formatPlan({
    title: 'Plan: sft',
    facts: [
      ['steps', '120'],
      ['tokens a step', '4,096'],
    ],
    decisions: [{ key: 'engine.threads', value: 2, reason: 'the cores this process may use' }],
    warnings: ['3 rows were dropped'],
  });
  expect(text.split('\n')).toEqual([
    'Plan: sft',
    '  steps          120',
    '  tokens a step  4,096',
    'Decided automatically',
    '  engine.threads  2  (the cores this process may use)',
    '! 3 rows were dropped',
  ]);
});

test('the summary shows what changed and what was written', () => {
  const metrics = metricChanges(
    [
      { step: 1, loss: 3.25 },
      { step: 2, eval_loss: 2 },
      { step: 3, loss: 1.5 },
    ],
    ['loss', 'reward'],
  );
  expect(metrics).toEqual([{ name: 'loss', first: 3.25, last: 1.5 }]);
  const text = formatSummary({ title: 'Done', facts: [['time', '0:10']], metrics, outputs: [['model', 'out']] });
  expect(text).toBe('Done\n  time  0:10\n  loss  3.25 → 1.5\nWritten\n  model  out');
});

const card = {
  name: 'my-model',
  baseModel: 'org/base',
  method: 'grpo',
  adapter: true,
  yaml: 'seed: 42\nnote: "```"\n',
  metrics: [{ name: 'reward', first: 0.1, last: 0.75 }],
  facts: [['steps', '10']],
} as const;

test('the model card has metadata for the hub, the results, loading code and the config', () => {
  const text = renderModelCard(card);
  const [, front] = text.split('---\n');
  expect(parse(front!)).toEqual({
    base_model: 'org/base',
    library_name: 'peft',
    pipeline_tag: 'text-generation',
    tags: ['anneal', 'grpo', 'lora'],
  });
  expect(text).toContain('| metric | first | last |\n| --- | --- | --- |\n| reward | 0.1 | 0.75 |');
  expect(text).toContain('AutoPeftModelForCausalLM');
  expect(text).toContain('````yaml\nseed: 42\nnote: "```"\n````');
});

test('a local path is not given as a base model of the hub', () => {
  const text = renderModelCard({ ...card, baseModel: '/home/me/secret/model', adapter: false });
  expect(text).not.toContain('/home/me');
  expect(text).toContain('AutoModelForCausalLM.from_pretrained');
});
