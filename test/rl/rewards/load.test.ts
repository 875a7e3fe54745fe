import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRewards, loadRewards, type RewardSpec } from '../../../src/rl/index.js';

let baseDir: string;
const files: Record<string, string> = {
  'rewards.ts': `
    import { half } from './half.ts';
    interface Columns { answer: string[] }
    export async function accuracy(prompts: string[], completions: string[], columns: Columns): Promise<number[]> {
      return completions.map((text, i) => (text.includes(columns.answer[i]!) ? 1 : half));
    }
    export const nothing = () => {};
    export const count = (_p: string[], completions: string[]) => [completions.length];
    export const bool = (_p: string[], completions: string[]) => completions.map((text) => text !== '');
    export const broken = (_p: string[], completions: string[]) => completions.map((text) => text.length / text.length);
    export const forgetful = (_p: string[], completions: string[]) =>
      completions.map((text) => { if (text) return 1; });
    export const typo = (_p: string[], c: string[], columns: any) => c.map((_, i) => columns.anser[i].length);
    export const optional = (_p: string[], c: string[], columns: any) => c.map((_, i) => columns.weight?.[i] ?? null);
    export const rude = () => { throw 'a string'; };
    export const forever = () => new Promise(() => {});
    export const limit = 3;
    export default (_p: string[], completions: string[]) => completions.map(() => 0.5);`,
  'half.ts': 'export const half: number = 0.5;',
  'plain.cjs': 'module.exports = { one: (p, completions) => completions.map(() => 1) };',
  'esm.mjs': 'export const two = (p, completions) => completions.map(() => 2);',
  'syntax.ts': 'export const a = 1;\nconst x = ;',
  'missing.ts': "import './nope.js';\nexport const a = () => [];",
  'throws.ts': "function setUp() {\n  throw new RangeError('no key');\n}\nsetUp();",
};

beforeAll(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'rewards-'));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(baseDir, name), text)));
});
afterAll(() => rm(baseDir, { recursive: true }));

const load = (...specs: RewardSpec[]) => loadRewards(specs, { baseDir });
const row = { prompt: 'What is 6 × 7?', columns: { answer: '42', question: 'x'.repeat(200) } };
const check = async (spec: RewardSpec, options = {}) => checkRewards(await load(spec), row, options);
const failure = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: Error) => error.message,
  );

describe('loading rewards', () => {
  it('imports TypeScript, ES modules and CommonJS as they are, by export or default', async () => {
    const rewards = await load('./rewards.ts#accuracy', 'rewards.ts', 'esm.mjs#two', './plain.cjs#one', 'gsm8k');
    expect(rewards.map(({ name }) => name)).toEqual(['accuracy', 'rewards', 'two', 'one', 'gsm8k']);
    const checks = await checkRewards(rewards, row);
    expect(checks.map(({ values }) => values)).toEqual([
      [0.5, 1],
      [0.5, 0.5],
      [2, 2],
      [1, 1],
      [0, 1],
    ]);
  });

  it('sees an edit of the file at the next load', async () => {
    const path = join(baseDir, 'edited.ts');
    await writeFile(path, 'export const r = (p: unknown, c: string[]) => c.map(() => 1);');
    await load('./edited.ts#r');
    await writeFile(path, 'export const r = (p: unknown, c: string[]) => c.map(() => 2);');
    expect((await check('./edited.ts#r'))[0]!.values).toEqual([2, 2]);
  });

  it('keeps equal names apart and pairs weights with rewards', async () => {
    const specs: RewardSpec[] = [
      { name: 'length', max: 5 },
      { name: 'length', min: 2 },
    ];
    const rewards = await loadRewards(specs, { baseDir, weights: [1, 0.2] });
    expect(rewards.map(({ name, weight }) => [name, weight])).toEqual([
      ['length', 1],
      ['length_2', 0.2],
    ]);
    await expect(loadRewards(specs, { baseDir, weights: [1] })).rejects.toThrow('1 entries for 2 reward_funcs');
  });

  it.each<[RewardSpec, RegExp]>([
    ['gsm8', /Unknown built-in reward "gsm8".*Did you mean "gsm8k"\?.*boxed_answer/],
    ['rewards.accuracy', /write \.\/rewards\.ts#accuracy/],
    ['./reward.ts#accuracy', /there is no file .*Did you mean "rewards\.ts"\?/],
    ['./nowhere/r.ts#a', /there is no folder/],
    ['./rewards.ts#acuracy', /exports no "acuracy"\. Did you mean "accuracy"\? There are: .*optional/],
    ['./esm.mjs', /no default export\. Name one of its functions behind a #\. There are: two\./],
    ['./rewards.ts#limit', /"limit" is no function but a number/],
    [{ name: './rewards.ts#accuracy', max: 3 }, /parameters \(max\) are for built-in rewards/],
    ['./syntax.ts#a', /importing syntax\.ts failed[\s\S]*syntax\.ts:2:/],
    ['./missing.ts#a', /Cannot find module '\.\/nope\.js'/],
  ])('refuses %j and says why', async (spec, message) => {
    expect(await failure(load(spec))).toMatch(message);
  });

  it('shows an import error with the frames of the user’s file only', async () => {
    const message = await failure(load('./throws.ts#a'));
    expect(message).toContain('RangeError: no key');
    expect(message).toMatch(/at setUp \(.*throws\.ts:2:\d+\)/);
    expect(message).not.toMatch(/node_modules|node:/);
    expect(await failure(load('./missing.ts#a'))).not.toMatch(/node_modules|node:|Require stack/);
  });
});

describe('the check before training', () => {
  it.each([
    ['nothing', /it returned undefined; wanted is an array/],
    ['count', /it returned 1 values for 2 completions/],
    ['bool', /it returned false for completion 0 \(use 1 and 0\)/],
    ['broken', /it returned NaN for completion 0/],
    ['forgetful', /it returned undefined for completion 0 \(a branch without return\?\)/],
    ['rude', /thrown: a string/],
  ])('names what is wrong with what %s gives', async (name, message) => {
    expect(await failure(check(`./rewards.ts#${name}`))).toMatch(message);
  });

  it('shows the failing call with short arguments, the line, and the column that is not there', async () => {
    const message = await failure(check('./rewards.ts#typo'));
    expect(message).toMatch(/TypeError: Cannot read properties of undefined[^\n]*\n {4}at .*rewards\.ts:\d+:\d+/);
    expect(message).toContain('in the call typo(["What is 6 × 7?", "What is 6 × 7?"], ["", "The answer');
    expect(message).toContain('It read the column "anser", which the dataset lacks. Did you mean "answer"?');
    expect(message.length).toBeLessThan(1200);
  });

  it('tells of columns that a reward looked for in vain without failing', async () => {
    expect(await check('./rewards.ts#optional')).toEqual([
      { name: 'optional', values: [null, null], missingColumns: ['weight'] },
    ]);
  });

  it('names the column that a built-in wants', async () => {
    expect(await failure(check({ name: 'gsm8k', column: 'solution' }))).toMatch(
      /reads the dataset column "solution", which is not there\. There are: answer, question\./,
    );
  });

  it('gives up on a call that does not return', async () => {
    const rewards = await loadRewards(['./rewards.ts#forever'], { baseDir, timeoutMs: 1 });
    expect(await failure(checkRewards(rewards, row))).toContain('no answer within 0.001 s (trl.reward_timeout)');
  });

  it('passes on an abort as it is', async () => {
    const controller = new AbortController();
    const checking = check('./rewards.ts#forever', { signal: controller.signal });
    controller.abort(new Error('stopped by the user'));
    expect(await failure(checking)).toBe('stopped by the user');
  });
});
