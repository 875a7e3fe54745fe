import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/index.js';
import type { Console } from '../../src/observe/index.js';
import { freeFolder, writeQuickstartFiles } from '../../src/quickstart/files.js';
import { shortPlan } from '../../src/quickstart/plan.js';
import { demonstration, drawProblems, drawStyles } from '../../src/quickstart/problems.js';
import { quickstart } from '../../src/quickstart/quickstart.js';
import { formatSideBySide } from '../../src/quickstart/side-by-side.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { trajectory } from '../rl/grpo-support.js';
import { recordingConsole } from '../run/support.js';

describe('the problems', () => {
  const { train, heldOut } = drawProblems(5, { train: 800, heldOut: 200 });

  it('have true steps, an answer that follows from the question, and no number below 0', () => {
    for (const { question, steps, answer } of [...train, ...heldOut]) {
      const amounts = (question.match(/\d/g) ?? []).map(Number);
      let count = amounts[0]!;
      steps.forEach((step, i) => {
        const [, left, sign, right, result] = /^(\d)([+-])(\d)=(\d)$/.exec(step)!;
        expect([Number(left), Number(right)]).toEqual([count, amounts[i + 1]]);
        count = sign === '+' ? count + amounts[i + 1]! : count - amounts[i + 1]!;
        expect(Number(result)).toBe(count);
      });
      expect(count).toBe(answer);
    }
  });

  it('that are held out share their numbers with no training problem', () => {
    const shown = new Set(train.map(({ steps }) => steps.join()));
    for (const { steps } of heldOut) expect(shown.has(steps.join())).toBe(false);
    expect(new Set(heldOut.map(({ steps }) => steps.join())).size).toBe(200);
  });

  it('are the same for the same seed and others for another', () => {
    expect(drawProblems(5, { train: 800, heldOut: 200 })).toEqual({ train, heldOut });
    expect(drawProblems(6, { train: 800, heldOut: 200 }).heldOut).not.toEqual(heldOut);
  });

  it('are demonstrated in two styles', () => {
    const problem = { question: '', steps: ['1+2=3', '3-1=2'], answer: 2 };
    expect(demonstration(problem, 'steps')).toBe('1+2=3\n3-1=2\n#### 2');
    expect(demonstration(problem, 'direct')).toBe('#### 2');
    const share = drawStyles(1, 2000, 0.4).filter((style) => style === 'steps').length / 2000;
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.45);
  });
});

it('the written configs are complete and point at the written files', async () => {
  const folder = join(await temporaryDirectory(), 'out');
  const paths = await writeQuickstartFiles(folder, shortPlan, 1);
  const [sft, grpo] = [loadConfig(paths.sftConfig), loadConfig(paths.grpoConfig, [], { checkPaths: false })].map(
    ({ config }) => config,
  );
  expect(grpo!.base_model).toBe(sft!.output_dir);
  expect(grpo!.trl!.reward_funcs).toEqual([`${join(folder, 'rewards.ts')}#correct`]);
  expect(readFileSync(join(folder, 'data/held-out.jsonl'), 'utf8').trim().split('\n')).toHaveLength(shortPlan.heldOut);
  await expect(freeFolder(folder)).rejects.toThrow('is not empty; give --output another folder');
});

it('answers stand side by side with their verdict', () => {
  const answer = (text: string, reward: number) => ({
    ...trajectory({}),
    prompt: [{ role: 'user', content: 'How many?' }],
    text,
    verdict: { kind: 'scored' as const, reward },
  });
  expect(formatSideBySide([{ before: answer('#### 3', 0), after: answer('1+1=2\n#### 2', 1) }])).toBe(
    [
      'How many?',
      '  before                      after',
      '  #### 3                      1+1=2',
      '  (wrong)                     #### 2',
      '                              (right)',
    ].join('\n'),
  );
});

it('a small quickstart runs through both trainings and ends with its accuracies', async () => {
  const console = recordingConsole();
  const plan = { ...shortPlan, demonstrations: 64, prompts: 8, heldOut: 4, sftSteps: 2, grpoSteps: 1 };
  const folder = join(await temporaryDirectory(), 'out');
  expect(await quickstart({ plan, seed: 1, folder, console, signal: new AbortController().signal })).toBe(true);
  expect(console.lines.at(-1)).toMatch(/^quickstart: accuracy \d\.\d{3} -> \d\.\d{3} in \d+ s$/);
  const shown = console.lines.join('\n');
  expect(shown).toMatch(/random weights +\d\.\d{3}\n.*after SFT +\d\.\d{3}\n.*after GRPO +\d\.\d{3}/);
  expect(shown.match(/before +after/g)).toHaveLength(3);
});

it('one that is stopped says so, and names no way to go on that it does not have', async () => {
  const console = recordingConsole();
  const plan = { ...shortPlan, demonstrations: 64, prompts: 8, heldOut: 4, sftSteps: 500, grpoSteps: 1 };
  const folder = join(await temporaryDirectory(), 'out');
  const controller = new AbortController();
  const stopping: Console = {
    ...console,
    progress: (options) => {
      const bar = console.progress(options);
      return {
        ...bar,
        update: (...values) => {
          bar.update(...values);
          if (options.total === plan.sftSteps) controller.abort();
        },
      };
    },
  };
  expect(await quickstart({ plan, seed: 1, folder, console: stopping, signal: controller.signal })).toBe(false);
  const shown = console.lines.join('\n');
  expect(shown).toMatch(/stopped at step \d+; saved .*checkpoint-/);
  expect(shown).not.toContain('resume');
});
