import { describe, expect, test } from 'vitest';
import { inputKey, openCases } from '../../../src/gym/cases/index.js';
import { type Environment, loadEnvironment } from '../../../src/gym/environment/index.js';
import { VerifierError } from '../../../src/gym/verify/verifier-error.js';
import { type Files, folder } from '../environment/folders.js';
import { fakeContext } from './fake-runner.js';

/** Squares of small numbers: a domain that runs out. */
const files: Files = {
  'environment.yaml': `name: Square
languages: [javascript]
function: {name: square, parameters: {n: int}, returns: float}
variants:
  train: {cases: cases.yaml, generate: 4, seed: 11}
  eval: {generate: 4, seed: 12}
  holdout: {generate: 4, seed: 13}
  large: {generate: 3, seed: 14, parameters: {from: 1000}}
`,
  'task.md': 'Square it.',
  'cases.yaml': '- {input: {n: 0}}\n- {id: three, input: {n: 3}, expected: 9}\n',
  'reference.js': 'export function square(n) { return n * n; }\n',
  'generator.js': `export function generate({ count, seed, parameters }) {
  const from = parameters.from ?? 0;
  return Array.from({ length: count }, (_, i) => ({ input: { n: i < 2 ? i : from + ((seed * 7 + i * 3) % 40) } }));
}
`,
};
const load = (changes: Files = {}): Promise<Environment> => loadEnvironment(folder({ ...files, ...changes }));
const inputs = (cases: { readonly input: readonly unknown[] }[] | readonly { readonly input: readonly unknown[] }[]) =>
  cases.map(({ input }) => input[0]);

describe('the cases of a variant', () => {
  test('are the declared and the generated ones, with what the reference says', async () => {
    const { context } = fakeContext();
    const set = await openCases(context, await load());
    expect(set).toMatchObject({ variant: 'train', seed: 11 });
    expect(set.cases).toHaveLength(6);
    expect(set.cases.slice(0, 3)).toMatchObject([
      { id: '1', input: [0], expected: { f: '0.0' } },
      { id: 'three', input: [3], expected: { f: '9.0' } },
      { id: 'generated-1', group: null, weight: 1 },
    ]);
    expect(set.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(Object.isFrozen(set.cases[0]?.input)).toBe(true);
  });

  test('are new: train, eval and holdout, and all others with eval and holdout, share no input', async () => {
    const { context } = fakeContext();
    const environment = await load();
    const [train, evaluation, holdout, large, reseeded] = await Promise.all(
      ['train', 'eval', 'holdout', 'large', 'train@77'].map((name) => openCases(context, environment, name)),
    );
    const apart = [train, evaluation, holdout].flatMap((set) => set!.cases.map(inputKey));
    expect(new Set(apart).size).toBe(6 + 4 + 4);
    const kept = new Set([...evaluation!.cases, ...holdout!.cases].map(inputKey));
    for (const one of [...large!.cases, ...reseeded!.cases]) expect(kept.has(inputKey(one))).toBe(false);
  });

  test('do not depend on which variant was asked for first', async () => {
    const environment = await load();
    const orders = [
      ['train', 'eval', 'holdout'],
      ['holdout', 'eval', 'train'],
    ];
    const hashes = [];
    for (const order of orders) {
      const { context } = fakeContext();
      const found: Record<string, string> = {};
      for (const name of order) found[name] = (await openCases(context, environment, name)).hash;
      hashes.push(found);
    }
    expect(hashes[0]).toEqual(hashes[1]);
  });

  test('a seed gives other cases, the declared ones stay', async () => {
    const { context } = fakeContext();
    const environment = await load();
    const set = await openCases(context, environment, 'train@5');
    expect(set).toMatchObject({ variant: 'train', seed: 5 });
    expect(set.cases[1]?.id).toBe('three');
    expect(inputs(set.cases.slice(2))).not.toEqual(inputs((await openCases(context, environment)).cases.slice(2)));
  });

  test('with a seed of their own, eval and holdout keep away from train as well', async () => {
    const { context } = fakeContext();
    const environment = await load();
    const train = new Set((await openCases(context, environment)).cases.map(inputKey));
    for (const one of (await openCases(context, environment, 'eval@11')).cases)
      expect(train.has(inputKey(one))).toBe(false);
  });

  test('are made once', async () => {
    const { context, jobs } = fakeContext();
    const environment = await load();
    const [first, second] = await Promise.all([openCases(context, environment), openCases(context, environment)]);
    const made = jobs.length;
    expect(await openCases(context, environment)).toBe(first);
    expect(second).toBe(first);
    expect(jobs).toHaveLength(made);
    await openCases(context, environment, 'large');
    expect(jobs.length).toBeGreaterThan(made);
  });

  test('of a group are taken or left together', async () => {
    const { context } = fakeContext();
    const environment = await load({
      'environment.yaml': `name: Even
languages: [javascript]
function: {name: even, parameters: {n: int}, returns: bool}
variants: {train: {generate: 6}, eval: {generate: 2}, holdout: {generate: 6}}
`,
      'cases.yaml': '- {id: four, input: {n: 4}}\n',
      'reference.js': 'export const even = (n) => n % 2 === 0;\n',
      'generator.js': `export function generate({ count, seed }) {
  return Array.from({ length: count / 2 }, (_, i) => [2 * i, 2 * i + 1].map((n) => ({ input: { n }, group: \`pair-\${i}\` }))).flat();
}
`,
    });
    for (const name of ['train', 'holdout']) {
      const { cases } = await openCases(context, environment, name);
      const generated = cases.filter(({ group }) => group !== null);
      const groups = generated.map(({ group }) => group);
      for (const group of groups) expect(groups.filter((other) => other === group)).toHaveLength(2);
      expect(inputs(generated)).not.toContain(4);
      expect(inputs(generated)).not.toContain(5);
      expect(generated).toHaveLength(6);
    }
  });

  test('of a script checker need nothing expected', async () => {
    const { context, jobs } = fakeContext();
    const environment = await load({
      'environment.yaml': `${files['environment.yaml']}checker: {script: checker.js}\n`,
      'checker.js': 'export const check = () => true;',
    });
    expect((await openCases(context, environment)).cases[0]?.expected).toBeUndefined();
    expect(jobs).not.toContain('square');
  });
});

describe('what fails in making them names the environment and the file', () => {
  const broken: [string, Files, string][] = [
    [
      'a generator that raises',
      { 'generator.js': 'export function generate() { throw new TypeError("no luck"); }' },
      '/generator.js: generate raised TypeError: no luck for variant holdout, count 4, seed 13',
    ],
    ['a generator that does not load', { 'generator.js': 'export function generate( {' }, '/generator.js: SyntaxError'],
    [
      'a generator of another name',
      { 'generator.js': 'export function make() {}' },
      '/generator.js: it has no function generate',
    ],
    [
      'a generator without a list',
      { 'generator.js': 'export const generate = () => 3;' },
      '/generator.js: generate returned no list of cases',
    ],
    [
      'a generator with rubbish in the list',
      { 'generator.js': 'export const generate = () => [{ input: { m: 3 } }, 7, { input: { n: "x" }, wieght: 1 }];' },
      '/generator.js: returned 0.input.m: the function has no parameter m; did you mean "n"?',
    ],
    [
      'a generator that runs out',
      { 'generator.js': 'export const generate = () => [1, 2, 3, 4].map((n) => ({ input: { n } }));' },
      'gave 3. Ask for fewer with generate',
    ],
    [
      'a reference that raises',
      { 'reference.js': 'export function square(n) { if (n === 0) throw new Error("zero"); return n; }' },
      '/reference.js: square raised Error: zero on the case 1',
    ],
    [
      'a generator in TypeScript that does not parse',
      { 'generator.js': null, 'generator.ts': 'export function generate(: {' },
      '/generator.ts: ',
    ],
  ];
  test.each(broken)('%s', async (_, changes, message) => {
    const environment = await load(changes);
    const failure = await openCases(fakeContext().context, environment).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(VerifierError);
    expect((failure as Error).message).toContain(environment.name);
    expect((failure as Error).message).toContain(message);
  });

  test('and is tried again the next time', async () => {
    const { context } = fakeContext();
    const environment = await load();
    const run = context.runner.run.bind(context.runner);
    let failures = 1;
    const flaky = {
      ...context,
      runner: {
        ...context.runner,
        run: (...args: Parameters<typeof run>) => (failures-- > 0 ? Promise.reject(new Error('gone')) : run(...args)),
      },
    };
    await expect(openCases(flaky, environment)).rejects.toThrow('gone');
    expect((await openCases(flaky, environment)).cases).toHaveLength(6);
  });
});

test.each([
  ['number', 'return "9"', "returned '9' on the case 1; declared is float"],
  ['list', 'return [n]', 'returned [0] on the case 1; declared is float'],
  ['nothing', '', 'returned null on the case 1; declared is float'],
])('a reference that does not return what is declared judges nobody: no %s', async (_, body, message) => {
  const environment = await load({ 'reference.js': `export function square(n) { ${body} }` });
  await expect(openCases(fakeContext().context, environment)).rejects.toThrow(message);
});

describe('asking for a variant', () => {
  test.each([
    ['evl', 'has no variant "evl"; there are train, eval, holdout, large; did you mean "eval"?'],
    ['constructor', 'has no variant "constructor"'],
    ['train@', 'expected a seed below 2^31 after @, such as train@7'],
    ['train@-1', 'expected a seed'],
    ['train@1@2', 'expected a seed'],
    ['train@99999999999', 'expected a seed'],
  ])('%s is refused', async (name, message) => {
    await expect(openCases(fakeContext().context, await load(), name)).rejects.toThrow(message);
  });

  test('that needs a generator says so', async () => {
    const environment = await load({
      'generator.js': null,
      'environment.yaml':
        'name: Square\nlanguages: [javascript]\nfunction: {name: square, parameters: {n: int}, returns: float}\n',
    });
    await expect(openCases(fakeContext().context, environment, 'eval')).rejects.toThrow(
      'there is train; without a generator it exists when cases are declared for it',
    );
    await expect(openCases(fakeContext().context, environment, 'train@3')).rejects.toThrow('takes no seed');
  });

  test('an abort ends the waiting at once', async () => {
    const environment = await load();
    const { context } = fakeContext();
    const never = { ...context, runner: { ...context.runner, run: () => new Promise<never>(() => {}) } };
    const controller = new AbortController();
    const waiting = openCases(never, environment, 'train', controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});
