import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GymError } from '../../../src/gym/gym-error.js';
import {
  axolotlRowRewardFn,
  type Columns,
  type Judgement,
  makeAxolotlRewardFn,
  makeAxolotlShapedRewardFn,
  makeCaseRewardFn,
  makeRewardFn,
  makeShapedRewardFn,
  rowRewardFn,
} from '../../../src/gym/reward/index.js';
import { lazyGym } from '../../../src/gym/reward/lazy-gym.js';
import { SandboxError } from '../../../src/gym/sandbox/types.js';
import type { GymOptions } from '../../../src/gym/types.js';
import { fakeEnvironment, fakeGym, scored } from './fake-gym.js';

const coin = fakeEnvironment('coin');
const fence = (code: string, tag = 'python') => `Here:\n\`\`\`${tag}\n${code}\n\`\`\``;

describe('makeRewardFn', () => {
  it('scores the code of each completion, in order, plain or conversational', async () => {
    const gym = fakeGym();
    const reward = makeRewardFn(coin, { gym });
    const completions = [fence('0.25'), '1', [{ role: 'assistant', content: fence('0.5') }], 'rubbish'];
    expect(await reward([], completions)).toEqual([0.25, 1, 0.5, 0]);
    expect(gym.runs.map(({ answer }) => answer)).toEqual(['0.25', '1', '0.5', 'rubbish']);
    expect(gym.runs[0]).toMatchObject({ environment: 'coin', variant: 'train', language: 'python' });
  });

  it('gives null, not 0, where there is no verdict, and counts', async () => {
    const heard: Judgement[] = [];
    const reward = makeRewardFn(coin, { gym: fakeGym(), onVerdict: (judgement) => heard.push(judgement) });
    expect(await reward([], ['1', 'sandbox', '0', 'timeout', 'sandbox'])).toEqual([1, null, 0, null, null]);
    expect(reward.stats()).toEqual({ judged: 2, passed: 1, noVerdict: 3, causes: { sandbox: 2, timeout: 1 } });
    expect(heard.map(({ index, verdict }) => [index, verdict.kind])).toEqual([
      [0, 'scored'],
      [1, 'noVerdict'],
      [2, 'scored'],
      [3, 'noVerdict'],
      [4, 'noVerdict'],
    ]);
  });

  it('tells of an environment that cannot be used so, rather than leaving all answers out', async () => {
    await expect(makeRewardFn(coin, { gym: fakeGym() })([], ['1', 'environment'])).rejects.toThrow(
      'environment failed',
    );
    await expect(makeRewardFn(coin, { gym: fakeGym(), language: 'pyhton' })([], ['1'])).rejects.toThrow(
      /takes no answers in pyhton.*python/,
    );
    await expect(makeRewardFn('no_such_environment', { gym: fakeGym() })([], ['1'])).rejects.toThrow(GymError);
  });

  it('says which completion is none; messages without a text are an empty answer', async () => {
    const reward = makeRewardFn(coin, { gym: fakeGym() });
    const given = (...completions: unknown[]) => reward([], completions as string[]);
    await expect(given('1', null)).rejects.toThrow('completion 1 is neither a text nor a list of messages: null');
    await expect(given({ content: '1' })).rejects.toThrow('completion 0 is neither');
    const odd = [null, undefined, 5, {}].map((content) => [{ role: 'assistant', content }]);
    expect(await given(...odd, [], [null], [{ role: 'user', content: '1' }])).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it('takes the variant and the language', async () => {
    const gym = fakeGym();
    await makeRewardFn(coin, { gym, variant: 'eval', language: 'javascript' })([], [fence('1', 'js')]);
    expect(gym.runs[0]).toMatchObject({ variant: 'eval', language: 'javascript', answer: '1' });
  });

  it('reads a document whatever its block is tagged with', async () => {
    const gym = fakeGym();
    await makeRewardFn({ ...coin, kind: 'document', languages: [] }, { gym })(
      [],
      [`${fence('0')}\n${fence('1', 'json')}`],
    );
    expect(gym.runs[0]!.answer).toBe('1');
  });

  it('stops with its signal', async () => {
    const gym = fakeGym();
    const controller = new AbortController();
    const call = makeRewardFn(coin, { gym })([], ['wait'], {}, { signal: controller.signal });
    await gym.waiting();
    controller.abort(new Error('stopped'));
    await expect(call).rejects.toThrow('stopped');
  });

  it('leaves a gym that it was given open', async () => {
    const gym = fakeGym();
    const reward = makeRewardFn(coin, { gym });
    await reward([], ['1']);
    await reward.dispose();
    expect(gym.disposals()).toBe(0);
  });

  it('takes no completions at all', async () =>
    expect(await makeRewardFn(coin, { gym: fakeGym() })([], [])).toEqual([]));
});

describe('makeAxolotlRewardFn', () => {
  it('takes everything by name, and columns of any name', async () => {
    const reward = makeAxolotlRewardFn(coin, { gym: fakeGym() });
    const batch = {
      prompts: ['p', 'q'],
      completions: ['1', '0.5'],
      env: ['x', 'y'],
      outputs: ['a', 'b'],
      max_parallel: [1, 2],
      model_output: ['0', '0'],
      gym: [null, null],
      trainer_state: { step: 3 },
    };
    expect(await reward(batch)).toEqual([1, 0.5]);
  });
});

describe('components', () => {
  const weighed = fakeEnvironment('weighed', { weights: { correctness: 0.7, rules: 0.3 } });
  const gym = () =>
    fakeGym(({ answer }) =>
      answer === 'broken' ? scored(0) : scored(0.85, { rewardComponents: { correctness: 0.7, rules: 0.15 } }),
    );

  it('gives a named part', async () => {
    expect(await makeRewardFn(weighed, { gym: gym(), component: 'rules' })([], ['x', 'broken'])).toEqual([0.15, 0]);
    const shaped = makeAxolotlShapedRewardFn(weighed, { gym: gym(), component: 'correctness' });
    expect(await shaped({ completions: ['x'] })).toEqual([0.7]);
  });

  it('an unknown part is an error, not the score', async () => {
    await expect(makeRewardFn(weighed, { gym: gym(), component: 'rule' })([], ['x'])).rejects.toThrow(
      /no reward component rule; they have correctness, rules; did you mean "rules"/,
    );
    const foreign = fakeEnvironment('foreign', {
      deepgym: { source: '', standalone: false, testCases: null, envVars: {} },
    });
    await expect(makeRewardFn(foreign, { gym: gym(), component: 'speed' })([], ['x'])).rejects.toThrow(/speed/);
    expect(await makeRewardFn(foreign, { gym: gym(), component: 'speed' })([], ['broken'])).toEqual([0]);
  });

  it('the only part is the score', async () => {
    expect(await makeRewardFn(coin, { gym: fakeGym(), component: 'correctness' })([], ['0.5'])).toEqual([0.5]);
  });

  it('gives all parts, or all cases', async () => {
    expect(await makeShapedRewardFn(weighed, { gym: gym() })([], ['x', 'broken'])).toEqual([
      { correctness: 0.7, rules: 0.15 },
      { score: 0 },
    ]);
    expect(await makeCaseRewardFn(coin, { gym: fakeGym() })([], ['0.5', 'sandbox'])).toEqual([
      { a: 1, b: 0, overall: 0.5 },
      null,
    ]);
  });
});

describe('rowRewardFn', () => {
  it('judges each row in its own environment', async () => {
    const gym = fakeGym();
    const reward = rowRewardFn({ gym });
    const columns = {
      data_source: ['two_sum', 'coin_change', 'coin_change', 'two_sum'],
      extra_info: [
        { environment: 'coin_change', variant: 'eval' },
        null,
        '{"environment": "two_sum", "language": "javascript"}',
        {},
      ],
      env: ['a', 'b', 'c', 'd'],
      gym: [1, 2, 3, 4],
    };
    expect(await reward([], ['1', '0.5', fence('0.25', 'js'), 'timeout'], columns)).toEqual([1, 0.5, 0.25, null]);
    const judged = Object.fromEntries(gym.runs.map((run) => [run.answer, run]));
    expect(judged['1']).toMatchObject({ environment: 'coin_change', variant: 'eval', language: 'python' });
    expect(judged['0.5']).toMatchObject({ environment: 'coin_change', variant: 'train' });
    expect(judged['0.25']).toMatchObject({ environment: 'two_sum', language: 'javascript' });
    expect(judged.timeout).toMatchObject({ environment: 'two_sum' });
  });

  it('has a keyword form', async () => {
    const reward = axolotlRowRewardFn({ gym: fakeGym() });
    expect(await reward({ completions: ['1'], data_source: ['coin_change'], prompts: ['p'] })).toEqual([1]);
  });

  it('names the row that names no environment, or an unknown one', async () => {
    const reward = rowRewardFn({ gym: fakeGym() });
    await expect(reward([], ['1', '1'], { data_source: ['coin_change', ''] })).rejects.toThrow(
      /^completion 1 names no/,
    );
    await expect(reward([], ['1'], { data_source: ['coin_chnage'] })).rejects.toThrow(/coin_chnage.*coin_change/);
    await expect(reward([], ['1'], { extra_info: ['{'] })).rejects.toThrow(/completion 0: extra_info/);
    await expect(reward([], ['1'], { extra_info: [[1]] })).rejects.toThrow(/completion 0: extra_info/);
    await expect(reward([], ['1', '1'], { data_source: ['coin_change', 'coin_chnage'] })).rejects.toThrow(
      /^completion 1: there is no environment/,
    );
  });

  it('refuses rows that are not one for each completion, and what is no text in them', async () => {
    const reward = rowRewardFn({ gym: fakeGym() });
    const given = (columns: unknown) => reward([], ['1'], columns as Columns);
    await expect(given({ data_source: ['coin_change', 'two_sum'] })).rejects.toThrow('data_source has 2 values for 1');
    await expect(given({ extra_info: [] })).rejects.toThrow('extra_info has 0 values for 1 completions');
    await expect(given({ data_source: 'coin_change' })).rejects.toThrow('data_source is no list');
    await expect(given({ extra_info: [{ environment: 'coin_change', variant: 5 }] })).rejects.toThrow(
      'completion 0: extra_info.variant is no text but 5',
    );
    await expect(given({ extra_info: [{ environment: ['coin_change'] }] })).rejects.toThrow(
      'extra_info.environment is no text',
    );
    await expect(given(null)).rejects.toThrow('completion 0 names no environment');
  });
});

describe('where answers are judged', () => {
  const opening = (unusable: boolean, error?: Error) => {
    const opened: GymOptions[] = [];
    const open = async (options: GymOptions) => {
      opened.push(options);
      const gym = fakeGym();
      if (!unusable || options.sandbox !== 'daytona') return gym;
      const failure = error ?? new SandboxError('@daytonaio/sdk is not installed.', { reason: 'unavailable' });
      return { ...gym, capabilities: () => Promise.reject(failure) };
    };
    return { opened, open };
  };

  it('here without a key, in Daytona with one', async () => {
    const here = opening(false);
    await lazyGym({}, {}, here.open).get();
    expect(here.opened).toEqual([{}]);
    const there = opening(false);
    await lazyGym({ workers: 3 }, { DAYTONA_API_KEY: 'k' }, there.open).get();
    expect(there.opened).toEqual([{ workers: 3, sandbox: 'daytona' }]);
  });

  it('a sandbox that is named wins', async () => {
    const { opened, open } = opening(true);
    await lazyGym({ sandbox: 'local' }, { DAYTONA_API_KEY: 'k' }, open).get();
    expect(opened).toEqual([{ sandbox: 'local' }]);
  });

  it('a key without the SDK is an error, and local only where that is allowed', async () => {
    const { open } = opening(true);
    await expect(lazyGym({}, { DAYTONA_API_KEY: 'k' }, open).get()).rejects.toThrow(
      /DAYTONA_API_KEY is set.*not installed.*allowLocal/,
    );
    const allowed = opening(true);
    await lazyGym({ allowLocal: true }, { DAYTONA_API_KEY: 'k' }, allowed.open).get();
    expect(allowed.opened.map(({ sandbox }) => sandbox)).toEqual(['daytona', 'local']);
  });

  it('Daytona being down is not the same as its SDK missing', async () => {
    const { open } = opening(true, new SandboxError('no answer', { reason: 'timeout' }));
    await expect(lazyGym({ allowLocal: true }, { DAYTONA_API_KEY: 'k' }, open).get()).rejects.toThrow('no answer');
  });

  it('is opened once, disposed of, and opened again', async () => {
    let gyms = 0;
    const gym = fakeGym();
    const lazy = lazyGym({}, {}, async () => {
      gyms++;
      return gym;
    });
    await Promise.all([lazy.get(), lazy.get()]);
    expect(gyms).toBe(1);
    await lazy.dispose();
    await lazy.dispose();
    expect(gym.disposals()).toBe(1);
    await lazy.get();
    expect(gyms).toBe(2);
  });

  it('is tried anew after a failure', async () => {
    let tries = 0;
    const lazy = lazyGym({}, {}, async () => {
      if (++tries === 1) throw new Error('no room');
      return fakeGym();
    });
    await expect(lazy.get()).rejects.toThrow('no room');
    await lazy.get();
  });
});

describe('in the type of anneal’s own rewards', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'reward-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('can be named in trl.reward_funcs', async () => {
    const { loadRewards } = await import('../../../src/rl/rewards/index.js');
    const { writeFile } = await import('node:fs/promises');
    const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).pathname);
    await writeFile(
      join(folder, 'rewards.ts'),
      `import { makeRewardFn } from ${at('../../../src/gym/reward/index.ts')};
       import { fakeEnvironment, fakeGym } from ${at('./fake-gym.ts')};
       export const coin = makeRewardFn(fakeEnvironment('coin'), { gym: fakeGym() });`,
    );
    const [reward] = await loadRewards(['./rewards.ts#coin'], { baseDir: folder });
    const context = { completionIds: [], signal: new AbortController().signal };
    expect(await reward!.score(['p', 'p'], ['1', 'sandbox'], {}, context)).toEqual([1, null]);
  });
});
