import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listEnvironments } from '../../../src/gym/environment/index.js';
import type { CaseSet, Environment, Language } from '../../../src/gym/index.js';
import { type Gym, openGym, toPlain, type Value } from '../../../src/gym/index.js';
import { describeIsolatedPython } from '../support.js';

const environments = (await listEnvironments()).filter(({ kind, deepgym }) => kind === 'function' && deepgym === null);
const names = environments.map(({ name }) => name);
const named = (name: string) => environments.find((environment) => environment.name === name)!;
const key = (value: unknown) => JSON.stringify(value);

describe('the function environments', () => {
  it('are DeepGym’s 23 and ten hard ones', () => {
    expect(names).toHaveLength(33);
    expect(environments.filter(({ difficulty }) => difficulty === 'hard')).toHaveLength(10);
    expect(new Set(environments.map(({ id }) => id)).size).toBe(33);
  });

  it.each(names)('%s has a reference in Python and in JavaScript, and bad answers', (name) => {
    const { references, badAnswers, languages, variants } = named(name);
    expect(references.map(({ language }) => language).sort()).toEqual(['javascript', 'python']);
    expect(languages).toEqual(['python', 'javascript', 'typescript']);
    expect(badAnswers.length).toBeGreaterThan(1);
    expect(badAnswers.every(({ maxScore }) => maxScore < 1)).toBe(true);
    expect(Object.keys(variants)).toEqual(expect.arrayContaining(['train', 'eval', 'holdout']));
  });
});

describeIsolatedPython('the function environments', () => {
  let gym: Gym;
  beforeAll(async () => {
    gym = await openGym({ sandbox: 'local' });
  });
  afterAll(() => gym.dispose());

  async function scores(environment: Environment, variant: string, language: Language, answers: readonly string[]) {
    const verdicts = await gym.runBatch(environment, answers, { variant, language });
    return verdicts.map((verdict) => {
      if (verdict.kind !== 'scored') throw new Error(`${environment.name}, ${variant}: ${verdict.message}`);
      return verdict;
    });
  }

  // A process of JavaScript costs fifty times one of Python, and the cases are the same: what is asked of Python everywhere is asked
  // of it in the default variant.
  const variantsOf = (environment: Environment, language: Language) =>
    language === 'python' ? Object.keys(environment.variants) : [environment.defaultVariant];

  it.each(names)('%s: references score 1 in every variant', async (name) => {
    const environment = named(name);
    const runs = environment.references.flatMap(({ language, text }) =>
      Object.keys(environment.variants).map((variant) => ({ language, variant, text })),
    );
    const typed = runs.find(
      ({ language, variant }) => language === 'javascript' && variant === environment.defaultVariant,
    )!;
    await Promise.all(
      [...runs, { ...typed, language: 'typescript' as const }].map(async ({ language, variant, text }) => {
        const [verdict] = await scores(environment, variant, language, [text]);
        const wrong = verdict!.cases.filter(({ passed }) => !passed).map(({ id, error }) => `${id}: ${error}`);
        expect([variant, language, verdict!.details, wrong]).toEqual([variant, language, expect.anything(), []]);
        expect(verdict).toMatchObject({ score: 1, passed: true, truncated: false });
      }),
    );
  });

  it.each(names)('%s: bad answers get no more than they may', async (name) => {
    const environment = named(name);
    const runs = environment.badAnswers.flatMap((bad) =>
      variantsOf(environment, bad.language).map((variant) => ({ ...bad, variant })),
    );
    await Promise.all(
      runs.map(async ({ language, text, path, maxScore, variant }) => {
        const [verdict] = await scores(environment, variant, language, [text]);
        expect(verdict!.score, `${path}, ${variant}`).toBeLessThanOrEqual(maxScore);
        expect(verdict!.passed, `${path}, ${variant}`).toBe(false);
      }),
    );
  });

  it.each(names)('%s: worthless answers stay at the floor', async (name) => {
    const environment = named(name);
    const runs = (['python', 'javascript'] as const).flatMap((language) =>
      variantsOf(environment, language).map((variant) => ({ language, variant })),
    );
    await Promise.all(
      runs.map(async ({ language, variant }) => {
        const all = language === 'python' && variant === environment.defaultVariant;
        const answers = worthless(environment, await gym.cases(environment, { variant }), language, all);
        const verdicts = await scores(environment, variant, language, answers);
        for (const [index, { score }] of verdicts.entries()) {
          expect(score, `${variant}: ${answers[index]}`).toBeLessThanOrEqual(environment.floor);
        }
      }),
    );
  });

  it.each(names)('%s: knowing the train cases by heart is worth nothing elsewhere', async (name) => {
    const environment = named(name);
    const train = await gym.cases(environment, { variant: 'train' });
    const table = train.cases.flatMap(({ input, expected }) => {
      const row = expected === undefined ? '' : json([input.map(toPlain), toPlain(expected)]);
      return row !== '' && row.length < 2000 ? [row] : [];
    });
    const answer = `import json
def ${environment.signature!.names.python}(*arguments):
    for known, answer in json.loads(${JSON.stringify(`[${table.join(',')}]`)}):
        if known == json.loads(json.dumps(arguments)):
            return answer
`;
    for (const variant of ['eval', 'holdout']) {
      const [verdict] = await scores(environment, variant, 'python', [answer]);
      expect(verdict!.score, variant).toBe(0);
    }
  });

  it.each(names)('%s: train, eval and holdout share no input', async (name) => {
    const environment = named(name);
    const seen = new Map<string, string>();
    for (const variant of Object.keys(environment.variants)) {
      const { cases } = await gym.cases(environment, { variant });
      for (const { input } of cases) {
        const other = seen.get(key(input));
        if (other !== undefined) expect([variant, other]).not.toContainEqual(expect.stringMatching(/eval|holdout/));
        seen.set(key(input), variant);
      }
    }
  });

  it('coin_change has 25 cases in train, ten of them declared', async () => {
    const environment = named('coin_change');
    expect(environment.defaultVariant).toBe('train');
    expect(environment.variants.train).toMatchObject({ generated: 15, seed: 42 });
    expect((await gym.cases(environment, { variant: 'train' })).cases).toHaveLength(25);
  });
});

const json = (value: unknown) => JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item));

/** Empty texts, stubs, constants (the most frequent expected values among them) and echoes of the arguments. */
function worthless(
  { signature, checker }: Environment,
  { cases }: CaseSet,
  language: 'python' | 'javascript',
  all: boolean,
): string[] {
  const name = signature!.names[language];
  const parameters = signature!.parameters.map((parameter) => parameter.name);
  const counts = new Map<string, { value: Value; weight: number }>();
  for (const { expected, weight } of cases) {
    if (expected === undefined || key(expected).length > 2000) continue;
    const found = counts.get(key(expected));
    counts.set(key(expected), { value: expected, weight: (found?.weight ?? 0) + weight });
  }
  const frequent = [...counts.values()].sort((a, b) => b.weight - a.weight).slice(0, 3);
  const python = language === 'python';
  const constants = python
    ? ['None', '0', '1', '-1', 'True', 'False', '""', '[]']
    : ['null', '0', '1', '-1', 'true', 'false', '""', '[]'];
  // where the checker needs no expected value the frequent ones say little
  const unseen = checker.kind === 'script' ? ['[]'] : [];
  const literal = ({ value }: { value: Value }) =>
    python ? `__import__("json").loads(${JSON.stringify(json(toPlain(value)))})` : json(toPlain(value));
  const returning = (expression: string) =>
    python
      ? `def ${name}(${parameters.join(', ')}):\n    return ${expression}\n`
      : `function ${name}(${parameters.join(', ')}) { return ${expression}; }`;
  return [
    '',
    python ? `def ${name}(*arguments):\n    pass\n` : `function ${name}() {}`,
    ...[...(all ? constants : unseen), ...parameters, ...frequent.map(literal)].map(returning),
  ];
}
