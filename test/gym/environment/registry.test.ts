import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  listEnvironments,
  loadByName,
  loadEnvironment,
  loadSuite,
  surveyEnvironments,
} from '../../../src/gym/environment/index.js';
import { definition, folder, good } from './folders.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

const below = (name: string, files = good) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${name}/${path}`, content]));

describe('built-in environments', () => {
  test('all load', () => {
    const { environments, broken } = surveyEnvironments();
    expect(broken).toEqual([]);
    expect(environments.length).toBeGreaterThan(0);
    expect(environments.map(({ name }) => name)).toEqual(environments.map(({ name }) => name).sort());
  });

  test.each(['coin_change', 'COIN_CHANGE', 'env-012', 'Coin change', 'coin change', 'coin_change/'])(
    '%j is found',
    async (name) => {
      expect((await loadEnvironment(name)).name).toBe('coin_change');
    },
  );

  test('nested ones are found by their path and its last part', async () => {
    expect((await loadEnvironment('multi_turn/debug_fix')).name).toBe('multi_turn/debug_fix');
    expect((await loadEnvironment('multi_turn\\debug_fix')).name).toBe('multi_turn/debug_fix');
    expect((await loadEnvironment('debug_fix')).name).toBe('multi_turn/debug_fix');
  });

  test('a name that is none says the nearest', async () => {
    await expect(loadEnvironment('coin_chagne')).rejects.toThrow('Did you mean coin_change?');
  });
});

describe('a name never leads out of the folders of environments', () => {
  test.each(['../secret', './secret', '/etc', 'a/../../secret', '..', '.', '', 'a/.git', '..\\secret'])(
    '%j',
    async (name) => {
      await expect(loadByName(name)).rejects.toThrow('is no name of an environment');
    },
  );
});

test('what is no name is refused, and shown in short', async () => {
  await expect(loadEnvironment(undefined as never)).rejects.toThrow('by name or path, not by undefined');
  const error: Error = await loadEnvironment('x'.repeat(1_000_000)).catch((thrown) => thrown);
  expect(error.message).toContain('there is no environment');
  expect(error.message.length).toBeLessThan(500);
});

describe('own environments', () => {
  test('load by path', async () => {
    const directory = folder(good);
    expect((await loadEnvironment(directory)).title).toBe('Double');
    await expect(loadEnvironment('./nowhere')).rejects.toThrow('./nowhere: there is no such folder');
    await expect(loadEnvironment(join(directory, 'task.md'))).rejects.toThrow('an environment is a folder');
  });

  test('below ANNEAL_GYM_PATH load by name', async () => {
    vi.stubEnv('ANNEAL_GYM_PATH', folder({ ...below('own/double'), ...below('other') }));
    expect((await loadEnvironment('own/double')).name).toBe('own/double');
    expect((await loadEnvironment('double')).name).toBe('own/double');
    expect((await listEnvironments()).map(({ name }) => name)).toContain('other');
  });

  test('that are broken are told and stop nothing', async () => {
    vi.stubEnv('ANNEAL_GYM_PATH', folder({ ...below('fine'), ...below('bad', { ...good, 'task.md': '' }) }));
    const { environments, broken } = surveyEnvironments();
    expect(environments.map(({ name }) => name)).toContain('fine');
    expect(broken).toMatchObject([{ name: 'bad', error: { message: expect.stringContaining('task.md: empty') } }]);
    await expect(loadEnvironment('bad')).rejects.toThrow('task.md: empty');
  });

  test('in a folder that is not there', async () => {
    vi.stubEnv('ANNEAL_GYM_PATH', '/nowhere/at/all');
    await expect(listEnvironments()).rejects.toThrow('ANNEAL_GYM_PATH names /nowhere/at/all, which is not there');
  });

  test.each(['list', 'mapping'])('of DeepGym with a registry.json that is a %s', async (shape) => {
    const deepgym = {
      'task.md': 'Solve.',
      'verifier.py': 'return 1',
      'metadata.json': '{"difficulty": "easy", "domain": "maths"}',
    };
    const entries = [
      {
        id: 'HumanEval/0',
        name: 'First',
        path: 'HumanEval_0',
        difficulty: 'hard',
        benchmark: 'humaneval',
        libs: ['re'],
      },
      { id: 'HumanEval/1', name: 'Second', path: './HumanEval_1/', benchmark: 'humaneval' },
    ];
    const registry = shape === 'list' ? entries : { version: '1.0', environments: entries };
    vi.stubEnv(
      'ANNEAL_GYM_PATH',
      folder({
        ...below('HumanEval_0', deepgym),
        ...below('HumanEval_1', deepgym),
        'registry.json': JSON.stringify(registry),
      }),
    );
    expect(await loadEnvironment('HumanEval/0')).toMatchObject({
      name: 'HumanEval_0',
      title: 'First',
      difficulty: 'hard',
      domain: 'maths',
      family: 'humaneval',
      provenance: 'DeepGym {"benchmark":"humaneval","libs":["re"]}',
    });
    expect((await loadEnvironment('second')).name).toBe('HumanEval_1');
    expect((await loadEnvironment('humaneval')).name).toBe('HumanEval_0');
    expect((await loadSuite('humaneval')).map(({ name }) => name)).toEqual(['HumanEval_0', 'HumanEval_1']);
  });

  test('with a registry.json that is broken', async () => {
    vi.stubEnv('ANNEAL_GYM_PATH', folder({ 'registry.json': '{"environments": 3}' }));
    await expect(listEnvironments()).rejects.toThrow(/registry\.json: expected a list of environments/);
  });
});

describe('a suite', () => {
  const names = async (suite: string) => (await loadSuite(suite)).map(({ name }) => name);

  test('is all, a trait, names, or several of these', async () => {
    const all = await listEnvironments();
    expect(await names('all')).toEqual(all.map(({ name }) => name));
    expect(await names('Easy')).toEqual(all.filter((one) => one.difficulty === 'easy').map(({ name }) => name));
    expect(await names('script')).toEqual(all.filter((one) => one.kind === 'script').map(({ name }) => name));
    expect(await names('bash')).toContain('cli_task');
    expect(await names('hash-map-search')).toContain('group_anagrams');
    expect(await names('two_sum, coin_change')).toEqual(['two_sum', 'coin_change']);
    expect(await names('coin_change,coin_change')).toEqual(['coin_change']);
    expect(await names('script,coin_change')).toContain('coin_change');
  });

  test('may hold a folder', async () => {
    vi.stubEnv('ANNEAL_GYM_PATH', '');
    const directory = folder({ ...good, 'environment.yaml': definition.replace('Double', 'Own') });
    expect((await loadSuite(`two_sum,${directory}`)).map(({ title }) => title)).toEqual(['Two sum', 'Own']);
  });

  test('that is none lists what there is', async () => {
    await expect(loadSuite('esay')).rejects.toThrow(
      /there is no suite or environment "esay"; did you mean "easy"\?\n.*\n {2}difficulty: easy, /,
    );
    await expect(loadSuite(' , ')).rejects.toThrow('is empty');
  });
});
