import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gymAsset } from '../../../src/gym/assets.js';
import { makeShapedRewardFn, rowRewardFn, verlRows } from '../../../src/gym/reward/index.js';
import { describeIsolatedPython } from '../support.js';

const reference = (name: string) => readFileSync(gymAsset(`environments/${name}`), 'utf8');
const block = (tag: string, code: string) =>
  `<think>\n\`\`\`${tag}\nraise\n</think>\nHere:\n\n~~~${tag}\n${code}\n~~~\n`;

describeIsolatedPython('rewards of the built-in environments', () => {
  it('are those of their verifiers, row by row, in Python and JavaScript', async () => {
    await using reward = disposable(rowRewardFn({ sandbox: 'local', workers: 2 }));
    const completions = [
      block('python', reference('coin_change/reference.py')),
      block('js', reference('coin_change/reference.js')),
      [{ role: 'assistant', content: block('python', reference('two_sum/reference.py')) }],
      block('python', 'def coin_change(coins, amount):\n    return -1'),
      'I do not know.',
    ];
    const named = (environment: string, language = 'python') => ({ environment, variant: 'eval', language });
    const columns = {
      data_source: ['x', 'x', 'x', 'coin_change', 'coin_change'],
      extra_info: [named('coin_change'), named('coin_change', 'javascript'), named('two_sum'), null, null],
    };
    const rewards = await reward.fn([], completions, columns);
    expect(rewards.slice(0, 3)).toEqual([1, 1, 1]);
    expect(rewards[3]).toBeLessThanOrEqual(0.2);
    expect(rewards[4]).toBe(0);
    expect(reward.fn.stats()).toEqual({ judged: 5, passed: 3, noVerdict: 0, causes: {} });
  });

  it('has the parts of two_sum', async () => {
    await using reward = disposable(makeShapedRewardFn('two_sum', { sandbox: 'local', workers: 1 }));
    const [parts] = await reward.fn([], [block('python', reference('two_sum/reference.py'))]);
    expect(Object.values(parts!).reduce((sum, part) => sum + part, 0)).toBeCloseTo(1);
  });

  it('makes rows with the prompts of the environments', async () => {
    const rows = await verlRows(['coin_change', 'cyber/cve_2021_44228_log_triage'], { repeat: 2 });
    expect(rows.map(({ extra_info: { variant, language } }) => [variant, language])).toEqual([
      ['train', 'python'],
      ['train', ''],
      ['train', 'python'],
      [expect.stringMatching(/^train@\d+$/), ''],
    ]);
    expect(rows[0]!.prompt[0]!.content).toContain('coin_change');
    expect(rows[0]!.prompt).toEqual(rows[2]!.prompt);
    expect(rows[1]!.prompt).not.toEqual(rows[3]!.prompt);
  });

  it('a program that used one ends by itself', async () => {
    const module = new URL('../../../src/gym/reward/index.ts', import.meta.url).pathname;
    const program = `
      import { rowRewardFn } from ${JSON.stringify(module)};
      const reward = rowRewardFn({ sandbox: 'local', workers: 1 });
      console.log(JSON.stringify(await reward([], ['no code'], { data_source: ['coin_change'] })));`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.on('data', (data) => {
      stdout += data;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, rewards: JSON.parse(stdout) }).toEqual({ code: 0, rewards: [0] });
  });
});

function disposable<Fn extends { dispose(): Promise<void> }>(fn: Fn) {
  return { fn, [Symbol.asyncDispose]: () => fn.dispose() };
}
