import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { run as list } from '../../../src/cli/gym/list.js';
import { run as make } from '../../../src/cli/gym/new.js';
import { run as show } from '../../../src/cli/gym/show.js';
import { type Language, loadEnvironment } from '../../../src/gym/environment/index.js';
import { openGym } from '../../../src/gym/index.js';
import { documentReference } from '../../../src/gym/verify/document.js';
import { fakeContext } from '../cases/fake-runner.js';
import { describeIsolatedPython } from '../support.js';
import { folder, good } from './folders.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** What a command prints on stdout, what on stderr, and its exit code. */
async function output(command: (args: string[]) => Promise<number>, ...args: string[]) {
  const [out, err]: string[][] = [[], []];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void out!.push(text));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err!.push(String(text)) > 0);
  const code = await command(args);
  vi.restoreAllMocks();
  return { code, out: out!.join('\n'), err: err!.join('') };
}

describe('anneal gym list', () => {
  test('shows the environments as a table, or as JSON', async () => {
    const { out, code } = await output(list, '--suite', 'coin_change');
    expect(out).toMatch(
      /^name +difficulty +kind +languages +variants +title\ncoin_change +medium +function +python javascript typescript +train /,
    );
    expect(code).toBe(0);
    const [row] = JSON.parse((await output(list, '--suite', 'coin_change', '--json')).out);
    expect(row).toMatchObject({ name: 'coin_change', id: 'env-012', kind: 'function', difficulty: 'medium' });
  });

  test('tells what cannot be loaded and ends with 1', async () => {
    vi.stubEnv('ANNEAL_GYM_PATH', folder({ 'mine/environment.yaml': 'name: 3\n', 'mine/task.md': 'x' }));
    const { out, err, code } = await output(list, '--json');
    expect(err).toMatch(/^mine cannot be used:\n {2}.*environment\.yaml:1:7 name: expected a text, got 3/);
    expect(JSON.parse(out).length).toBeGreaterThan(0);
    expect(code).toBe(1);
  });

  test.each([
    [['--siute', 'x'], 'unknown option --siute; it takes --suite, --json; did you mean "--suite"?'],
    [['hard'], '--suite hard chooses'],
    [['--suite'], "--suite <value>' argument missing"],
  ])('refuses %j', async (args, message) => {
    await expect(list(args)).rejects.toThrow(message);
  });
});

describe('anneal gym show', () => {
  test('shows the task as a model gets it, and the rest', async () => {
    const { out } = await output(show, folder(good), '--language', 'javascript');
    expect(out).toContain('Double the values.');
    expect(out).toContain('function doubleIt(values, factor)');
    expect(out).toMatch(/train \(default\) +2 +0/);
    expect(out).not.toContain('expected');
  });

  test('as JSON', async () => {
    const shown = JSON.parse((await output(show, 'coin_change', '--json')).out);
    expect(shown).toMatchObject({ name: 'coin_change', references: ['reference.py', 'reference.js'] });
    expect(shown.task).toContain('def coin_change(coins: list[int], amount: int) -> int:');
    expect(shown).not.toHaveProperty('cases');
  });

  test.each([
    [
      ['coin_change', '--language', 'bash'],
      'coin_change takes no answers in bash; it takes python, javascript, typescript',
    ],
    [['coin_change', '--variant', 'evil'], 'has no variant "evil"'],
    [[], 'anneal gym show needs the name of an environment'],
  ])('refuses %j', async (args, message) => {
    await expect(show(args)).rejects.toThrow(message);
  });
});

describe('anneal gym new', () => {
  test('writes only what the language needs', async () => {
    const directory = join(folder({}), 'my-first_one');
    const { out } = await output(make, directory, '--language', 'typescript');
    const environment = await loadEnvironment(directory);
    expect(environment).toMatchObject({ title: 'My first one', languages: ['typescript'] });
    expect(environment.references.map(({ path }) => path)).toEqual(['reference.js']);
    expect(environment.badAnswers.map(({ path }) => path)).toEqual(['bad/starts-at-zero.js']);
    expect(out).toContain(`anneal gym qa ${directory}`);
  });

  test('never overwrites', async () => {
    const directory = folder({ 'notes.txt': 'mine' });
    await expect(make([directory])).rejects.toThrow('is not empty');
    expect(readFileSync(join(directory, 'notes.txt'), 'utf8')).toBe('mine');
    expect(existsSync(join(directory, 'task.md'))).toBe(false);
    const file = join(directory, 'notes.txt');
    await expect(make([file])).rejects.toThrow('a file');
    mkdirSync(join(directory, 'empty'));
    expect((await output(make, join(directory, 'empty'))).code).toBe(0);
  });

  test.each([
    [
      ['x', '--kind', 'fonction'],
      '--kind: expected function, script, document, episode, got fonction; did you mean "function"?',
    ],
    [['x', '--kind', 'document', '--language', 'python'], 'the answer to a document has no language'],
    [['x', '--language', 'bash'], 'expected python, javascript, typescript, got bash'],
  ])('refuses %j', async (args, message) => {
    await expect(make(args)).rejects.toThrow(message);
  });
});

describeIsolatedPython('what anneal gym new wrote', () => {
  test.each(['function', 'script', 'document'])(
    '%s: references are right, bad and empty answers are not',
    async (kind) => {
      const directory = join(folder({}), 'begun');
      await output(make, directory, '--kind', kind);
      const environment = await loadEnvironment(directory);
      const gym = await openGym({ workers: 1 });
      try {
        const inLanguage = (language: Language) => (environment.languages.length > 0 ? { language } : {});
        for (const variant of ['train', 'eval', 'holdout']) {
          for (const reference of environment.references) {
            const text =
              kind === 'document'
                ? await documentReference(
                    fakeContext().context,
                    environment,
                    await gym.cases(environment, { variant }),
                    reference,
                  )
                : reference.text;
            const verdict = await gym.run(environment, text, { variant, ...inLanguage(reference.language) });
            expect(verdict, `${reference.path} on ${variant}`).toMatchObject({
              kind: 'scored',
              score: 1,
              passed: true,
            });
          }
        }
        for (const { path, text, language, maxScore } of environment.badAnswers) {
          const verdict = await gym.run(environment, text, inLanguage(language));
          expect(verdict.kind === 'scored' && verdict.score <= maxScore, path).toBe(true);
          expect(maxScore).toBeLessThan(1);
        }
        expect(await gym.run(environment, '')).toMatchObject({ kind: 'scored', score: 0 });
      } finally {
        await gym.dispose();
      }
    },
  );
});
