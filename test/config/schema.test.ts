import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderConfigDocs } from '../../scripts/config-docs.js';
import { cadence, configSchema, fieldSchema } from '../../src/config/index.js';
import { load, sft } from './fixtures.js';

test('docs/config.md is what scripts/config-docs.ts writes', () => {
  expect(readFileSync(new URL('../../docs/config.md', import.meta.url), 'utf8')).toBe(renderConfigDocs());
});

test('every key has a description', () => {
  const missing: string[] = [];
  const walk = (node: Record<string, unknown>, path: string) => {
    for (const [key, child] of Object.entries((node.properties ?? {}) as Record<string, Record<string, unknown>>)) {
      if (typeof child.description !== 'string') missing.push(`${path}${key}`);
      walk(child, `${path}${key}.`);
    }
    for (const part of [...((node.anyOf ?? node.oneOf ?? []) as Record<string, unknown>[]), node.items]) {
      if (part) walk(part as Record<string, unknown>, path);
    }
  };
  walk(configSchema(), '');
  expect(missing).toEqual([]);
});

test('one key is looked up in any case, also below others; an unknown one names the nearest', () => {
  expect(fieldSchema('LEARNING_RATE').description).toContain('Peak learning rate');
  expect(fieldSchema('trl.Loss_Type').enum).toEqual(['grpo', 'bnpo', 'dr_grpo', 'dapo']);
  expect(fieldSchema('datasets.train_on_eos').default).toBe('turn');
  expect(() => fieldSchema('learning_rat')).toThrow('did you mean "learning_rate"?');
});

test('steps of evaluation and checkpoints follow from the length of the run', () => {
  const steps = (extra: string, which: 'isEvalStep' | 'isSaveStep', run = { totalSteps: 20, stepsPerEpoch: 10 }) => {
    const plan = cadence(load(`${sft}${extra}`).config, run);
    return Array.from({ length: run.totalSteps }, (_, index) => index + 1).filter((step) => plan[which](step));
  };
  expect(steps('save_steps: 7\n', 'isSaveStep')).toEqual([7, 14, 20]);
  expect(steps('save_steps: 0.25\n', 'isSaveStep')).toEqual([5, 10, 15, 20]);
  expect(steps('saves_per_epoch: 1\nsave_first_step: true\n', 'isSaveStep')).toEqual([1, 10, 20]);
  expect(steps('saves_per_epoch: 1\n', 'isSaveStep', { totalSteps: 10, stepsPerEpoch: 10 })).toEqual([10]);
  expect(steps('save_strategy: no\n', 'isSaveStep')).toEqual([]);
  expect(steps('val_set_size: 4\n', 'isEvalStep', { totalSteps: 7, stepsPerEpoch: 2.5 })).toEqual([3, 5, 7]);
  expect(steps('val_set_size: 4\nevals_per_epoch: 2\n', 'isEvalStep')).toEqual([5, 10, 15, 20]);
  expect(steps('', 'isEvalStep')).toEqual([]);
});
