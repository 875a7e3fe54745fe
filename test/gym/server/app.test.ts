import { afterEach, describe, expect, it } from 'vitest';
import { createGymApp, type GymAppOptions } from '../../../src/gym/server/index.js';
import { type FakeGym, fakeEnvironment, fakeGym, noVerdict, scored } from '../reward/fake-gym.js';

const key = 'secret';
let dispose: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(dispose.map((one) => one()));
  dispose = [];
});

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: JSON of a reply
  readonly body: any;
}

function open(options: Partial<GymAppOptions> = {}, gym: FakeGym = fakeGym()) {
  const app = createGymApp({ gym, keys: [key], environments: [fakeEnvironment('coin')], ...options });
  dispose.push(() => app.dispose());
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const response = await app.fetch(
      new Request(`http://gym${path}`, {
        method,
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );
    return { status: response.status, body: await response.json() };
  };
  return {
    app,
    gym,
    send,
    get: (path: string, headers?: Record<string, string>) => send('GET', path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) => send('POST', path, body, headers),
  };
}

const block = (code: string) => `\`\`\`python\n${code}\n\`\`\``;
const verifier = { task: 'Do it.', verifier_code: 'return True' };

describe('who may ask', () => {
  it('anybody, whether it is alive', async () => {
    const { app } = open();
    const reply = await app.fetch(new Request('http://gym/health'));
    expect(await reply.json()).toMatchObject({ status: 'ok', version: expect.any(String) });
  });

  const routes = ['/v1/capabilities', '/v1/environments', '/v1/jobs/x', '/no/such/route'];
  it.each(routes)('%s needs the key', async (path) => {
    const { app, get } = open();
    expect((await app.fetch(new Request(`http://gym${path}`))).status).toBe(401);
    expect((await get(path, { 'X-API-Key': 'wrong' })).status).toBe(401);
    expect((await get(path, { 'X-API-Key': '' })).status).toBe(401);
    expect((await get(path)).status).not.toBe(401);
  });

  it('takes any of the keys, as a bearer token or a password too', async () => {
    const { app } = open({ keys: ['other', key] });
    const status = async (header: string, value: string) =>
      (await app.fetch(new Request('http://gym/v1/environments', { headers: { [header]: value } }))).status;
    expect(await status('X-API-Key', 'other')).toBe(200);
    expect(await status('Authorization', `Bearer ${key}`)).toBe(200);
    expect(await status('Authorization', `Basic ${Buffer.from(`gym:${key}`).toString('base64')}`)).toBe(200);
    expect(await status('Authorization', `Basic ${Buffer.from(key).toString('base64')}`)).toBe(401);
    expect(await status('Authorization', key)).toBe(401);
  });

  it('needs none where it was started so', async () => {
    const { app } = open({ keys: null });
    expect((await app.fetch(new Request('http://gym/v1/environments'))).status).toBe(200);
  });
});

describe('requests that cannot be read', () => {
  it.each([
    ['no JSON', '{', 400, /no JSON/],
    ['no object', '[]', 422, /body/],
    ['nothing', '', 400, /no JSON/],
    ['a field missing', '{"environment": "coin"}', 422, /model_output/],
    [
      'a field that is nearly one',
      '{"environment": "coin", "model_output": "1", "varient": "eval"}',
      422,
      /varient: unknown key; did you mean "variant"/,
    ],
    ['a field of another type', '{"environment": "coin", "model_output": 3}', 422, /model_output/],
    ['an unknown environment', '{"environment": "coin_chnage", "model_output": ""}', 404, /coin_change/],
    ['a path', '{"environment": "../../etc", "model_output": ""}', 422, /no name/],
    ['an absolute path', '{"environment": "/etc", "model_output": ""}', 422, /no name/],
    ['an unknown language', '{"environment": "coin", "model_output": "", "language": "cobol"}', 422, /language/],
    [
      'an answer that is too long',
      JSON.stringify({ environment: 'coin', model_output: 'x'.repeat(500_001) }),
      422,
      /500000/,
    ],
    ['a verifier that is missing', '{"environment": {"task": "x"}, "model_output": ""}', 422, /verifier_code/],
  ])('%s', async (_, body, status, detail) => {
    const { post, gym } = open();
    const reply = await post('/v1/run', body);
    expect(reply).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } });
    expect(gym.runs).toEqual([]);
  });

  it('a body beyond the limit is refused', async () => {
    const { post } = open({ bodyMb: 0.01 });
    const reply = await post('/v1/run', { environment: 'coin', model_output: 'x'.repeat(20_000) });
    expect(reply).toMatchObject({ status: 413, body: { detail: expect.stringContaining('larger than') } });
  });

  it('what is not there', async () => {
    const { get, post } = open();
    expect((await get('/v2/run')).status).toBe(404);
    expect((await post('/v1/snapshots', {})).status).toBe(501);
  });
});

describe('/v1/run', () => {
  it('gives DeepGym’s result for an environment by name', async () => {
    const { post, gym } = open();
    const reply = await post('/v1/run', { environment: 'coin', variant: 'eval', model_output: block('0.5') });
    expect(reply).toEqual({
      status: 200,
      body: {
        environment: 'coin',
        variant: 'eval',
        language: 'python',
        score: 0.5,
        passed: false,
        output: '1 of 2 cases',
        stdout: '',
        stderr: '',
        exit_code: 1,
        execution_time_ms: 3,
        sandbox_id: 'local',
        reward_components: null,
        metrics: {},
        truncated: false,
        no_verdict: false,
        error_type: null,
        cases: [
          {
            id: 'a',
            passed: true,
            score: 1,
            input_summary: '1',
            expected_summary: '1',
            actual_summary: '1',
            error: null,
            execution_time_ms: 1,
          },
          {
            id: 'b',
            passed: false,
            score: 0,
            input_summary: '2',
            expected_summary: '2',
            actual_summary: '0',
            error: null,
            execution_time_ms: 1,
          },
        ],
      },
    });
    expect(gym.runs).toEqual([{ environment: 'coin', variant: 'eval', language: 'python', answer: '0.5' }]);
  });

  it('takes an environment with its own verifier, a conversation, and a text as it is', async () => {
    const { post, gym } = open();
    const messages = [{ role: 'assistant', content: [{ type: 'text', text: block('1') }] }];
    expect((await post('/v1/run', { environment: verifier, model_output: messages })).body.score).toBe(1);
    await post('/v1/run', { environment: 'coin', model_output: block('1'), extract: false });
    expect(gym.runs.map(({ answer }) => answer)).toEqual(['1', block('1')]);
  });

  it.each([
    ['sandbox', 502],
    ['verifier', 502],
    ['timeout', 504],
    ['environment', 422],
  ])('no verdict (%s) is an error, not a score', async (cause, status) => {
    const { post } = open();
    const reply = await post('/v1/run', { environment: 'coin', model_output: cause });
    expect(reply).toMatchObject({ status, body: { no_verdict: true, cause, detail: `${cause} failed` } });
    expect(reply.body).not.toHaveProperty('score');
  });

  it('a client’s own broken verifier is the client’s error', async () => {
    const { post } = open();
    expect((await post('/v1/run', { environment: verifier, model_output: 'verifier' })).status).toBe(422);
  });

  it('answers others while it judges, and stops judging for a client that has gone', async () => {
    const { app, gym, get } = open();
    const controller = new AbortController();
    const reply = app.fetch(
      new Request('http://gym/v1/run', {
        method: 'POST',
        headers: { 'X-API-Key': key },
        body: JSON.stringify({ environment: 'coin', model_output: 'wait' }),
        signal: controller.signal,
      }),
    );
    await gym.waiting();
    expect((await get('/health')).status).toBe(200);
    controller.abort();
    expect((await reply).status).toBe(503);
  });
});

describe('/v1/run/batch and /v1/eval', () => {
  it('keeps the order, judges equal answers once, and counts no verdicts apart', async () => {
    const { post, gym } = open();
    const reply = await post('/v1/run/batch', {
      environment: 'coin',
      outputs: ['1', 'sandbox', '0', '1', block('0.5')],
    });
    expect(reply.body.results.map((result: { score: number | null }) => result.score)).toEqual([1, null, 0, 1, 0.5]);
    expect(reply.body.results[1]).toMatchObject({ passed: null, no_verdict: true, error_type: 'sandbox' });
    expect(reply.body).toMatchObject({ total: 5, passed: 2, failed: 2, no_verdict: 1, avg_score: 0.625 });
    expect(gym.runs).toHaveLength(4);
  });

  it('an empty batch is empty', async () => {
    const { post } = open();
    const reply = await post('/v1/run/batch', { environment: 'coin', outputs: [] });
    expect(reply).toMatchObject({ status: 200, body: { total: 0, avg_score: null, results: [] } });
  });

  it.each([{ max_parallel: 0 }, { max_parallel: 101 }, { outputs: new Array(1001).fill('') }])(
    'limits %#',
    async (more) => {
      const { post } = open();
      expect((await post('/v1/run/batch', { environment: 'coin', outputs: [''], ...more })).status).toBe(422);
    },
  );

  it('a suite: missing answers count as not passed, and are named', async () => {
    const environments = ['a', 'b', 'c', 'd'].map((name) => fakeEnvironment(name));
    const { post } = open({ environments });
    const reply = await post('/v1/eval', { suite: 'a,b,c,d', model_outputs: { c: 'sandbox', a: '1', d: '0' } });
    expect(reply.body.results.map((result: { environment: string }) => result.environment)).toEqual(['a', 'c', 'd']);
    expect(reply.body).toMatchObject({ total: 4, passed: 1, no_verdict: 1, missing: ['b'] });
    expect(reply.body.pass_rate).toBeCloseTo(1 / 3);
    expect(reply.body.avg_score).toBeCloseTo(1 / 3);
  });

  it('an unknown suite, or an answer to nothing in it', async () => {
    const { post } = open();
    expect(await post('/v1/eval', { suite: 'no_such', model_outputs: {} })).toMatchObject({
      status: expect.any(Number),
    });
    expect((await post('/v1/eval', { suite: 'no_such', model_outputs: {} })).status).toBeLessThan(500);
    expect((await post('/v1/eval', { suite: '/etc', model_outputs: {} })).status).toBe(422);
    const reply = await post('/v1/eval', { suite: 'coin', model_outputs: { cion: '1' } });
    expect(reply).toMatchObject({ status: 422, body: { detail: expect.stringContaining('cion') } });
  });
});

describe('/v1/environments', () => {
  it('lists what there is, with ids, and without what is secret', async () => {
    const { get, post } = open();
    const made = await post('/v1/environments', { ...verifier, env_vars: { TOKEN: 'hush' } });
    expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^[0-9a-f]{12}$/), created: true } });
    const { body } = await get('/v1/environments');
    const ids = body.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(expect.arrayContaining(['coin', 'coin_change', made.body.id]));
    expect(JSON.stringify(body)).not.toContain('hush');
    expect(JSON.stringify(body)).not.toContain('return True');
    expect(await get(`/v1/environments/${made.body.id}`)).toMatchObject({ body: { id: made.body.id, task: 'Do it.' } });
  });

  it('judges by id, names with slashes as well', async () => {
    const { get, post, gym } = open({ environments: [fakeEnvironment('cyber/log')] });
    const { body } = await post('/v1/environments', verifier);
    expect((await post(`/v1/environments/${body.id}/run`, { model_output: '0.5' })).body.score).toBe(0.5);
    expect((await post('/v1/environments/cyber/log/run', { model_output: '1' })).body.score).toBe(1);
    expect((await post('/v1/environments/cyber%2Flog/run', { model_output: '1' })).body.score).toBe(1);
    expect((await get('/v1/environments/cyber/log')).body.name).toBe('cyber/log');
    expect((await get('/v1/environments/nothing')).status).toBe(404);
    expect(gym.runs).toHaveLength(3);
  });
});

describe('/v1/jobs', () => {
  const until = async (get: (path: string) => Promise<Answer>, id: string, wanted: string): Promise<Answer> => {
    for (;;) {
      const reply = await get(`/v1/jobs/${id}`);
      if (reply.body.status === wanted) return reply;
      if (!['queued', 'running'].includes(reply.body.status)) throw new Error(`the job is ${reply.body.status}`);
      await new Promise(setImmediate);
    }
  };

  it('runs on after its request', async () => {
    const { get, post } = open();
    const started = await post('/v1/jobs/batch', { environment: 'coin', outputs: ['1', '0', 'timeout'] });
    expect(started).toMatchObject({ status: 202, body: { total: 3, result: null } });
    const done = await until(get, started.body.id, 'completed');
    expect(done.body).toMatchObject({ completed_count: 3, error: null, result: { passed: 1, no_verdict: 1 } });
  });

  it('fails without a verdict', async () => {
    const { get, post } = open();
    const { body } = await post('/v1/jobs/run', { environment: 'coin', model_output: 'sandbox' });
    expect((await until(get, body.id, 'failed')).body).toMatchObject({
      result: null,
      error: expect.stringContaining('sandbox'),
    });
  });

  it('is really stopped by cancelling', async () => {
    const { get, post, gym } = open({ jobs: { running: 1 } });
    const { body: first } = await post('/v1/jobs/run', { environment: 'coin', model_output: 'wait' });
    const { body: second } = await post('/v1/jobs/run', { environment: 'coin', model_output: '1' });
    await gym.waiting();
    expect((await get(`/v1/jobs/${first.id}`)).body.status).toBe('running');
    expect((await get(`/v1/jobs/${second.id}`)).body.status).toBe('queued');
    const { body: third } = await post('/v1/jobs/run', { environment: 'coin', model_output: '0.5' });
    expect((await post(`/v1/jobs/${third.id}/cancel`, {})).body.status).toBe('cancelled');
    expect((await post(`/v1/jobs/${first.id}/cancel`, {})).body.status).toBe('cancelled');
    // The one place is free again only because what was judged has stopped.
    await until(get, second.id, 'completed');
    expect(gym.runs.map(({ answer }) => answer)).toEqual(['wait', '1']);
    expect((await post(`/v1/jobs/${first.id}/cancel`, {})).status).toBe(409);
    expect((await get('/v1/jobs/none')).status).toBe(404);
  });

  it('forgets the oldest that have ended, and takes only so many at a time', async () => {
    const { get, post, gym } = open({ jobs: { kept: 2, unfinished: 1 } });
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      const { body } = await post('/v1/jobs/run', { environment: 'coin', model_output: '1' });
      await until(get, body.id, 'completed');
      ids.push(body.id);
    }
    expect((await get(`/v1/jobs/${ids[0]}`)).status).toBe(404);
    expect((await get(`/v1/jobs/${ids[1]}`)).status).toBe(200);
    await post('/v1/jobs/run', { environment: 'coin', model_output: 'wait' });
    await gym.waiting();
    expect((await post('/v1/jobs/run', { environment: 'coin', model_output: '1' })).status).toBe(429);
  });
});

describe('for trainers', () => {
  const environments = [fakeEnvironment('coin'), fakeEnvironment('sum', { weights: { correctness: 0.7, rules: 0.3 } })];

  it('/v1/rewards: each row in its environment, null for no verdict', async () => {
    const { post, gym } = open({ environments });
    const reply = await post('/v1/rewards', {
      completions: ['1', [{ role: 'assistant', content: block('0.5') }], 'sandbox'],
      columns: {
        data_source: ['coin', 'coin', 'sum'],
        extra_info: [{ environment: 'sum', variant: 'eval' }, null, '{"environment": "coin"}'],
      },
    });
    expect(reply).toEqual({ status: 200, body: { rewards: [1, 0.5, null], no_verdict: 1, causes: { sandbox: 1 } } });
    expect(gym.runs.find(({ answer }) => answer === '1')).toMatchObject({ environment: 'sum', variant: 'eval' });
  });

  it('/v1/rewards: one environment, or the server’s', async () => {
    const { post } = open({ environments, defaultEnvironment: environments[0]! });
    expect((await post('/v1/rewards', { environment: 'sum', completions: ['1'] })).body.rewards).toEqual([1]);
    expect((await post('/v1/rewards', { completions: ['0.5'] })).body.rewards).toEqual([0.5]);
  });

  it('/v1/rewards: a component', async () => {
    const gym = fakeGym(() => scored(1, { rewardComponents: { correctness: 0.7, rules: 0.3 } }));
    const { post } = open({ environments }, gym);
    const ask = (component: string) => post('/v1/rewards', { environment: 'sum', completions: ['x'], component });
    expect((await ask('rules')).body.rewards).toEqual([0.3]);
    expect(await ask('speed')).toMatchObject({ status: 422, body: { detail: expect.stringContaining('speed') } });
  });

  it('/v1/rewards: rows that name nothing, columns that do not fit', async () => {
    const { post } = open({ environments });
    expect(await post('/v1/rewards', { completions: ['1'] })).toMatchObject({ status: 422 });
    const columns = { data_source: ['coin', 'coin'] };
    expect(await post('/v1/rewards', { completions: ['1'], columns })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('columns.data_source has 2 values for 1') },
    });
  });

  it('/reward/score', async () => {
    const { post } = open({ environments, defaultEnvironment: environments[0]! });
    const reply = await post('/reward/score', { prompts: ['p', 'p'], outputs: [block('0.5'), 'timeout'] });
    expect(reply.body).toEqual({ rewards: [0.5, null], no_verdict: 1, causes: { timeout: 1 } });
    expect((await post('/reward/score', { prompts: ['p'], outputs: [] })).status).toBe(422);
    expect((await open({ environments }).post('/reward/score', { outputs: ['1'] })).status).toBe(422);
  });

  const prompt = `<|im_start|>user\nAnswer like ${block('1')}<|im_end|>\n<|im_start|>assistant\n`;
  it.each(['/openrlhf/reward', '/get_reward'])(
    'OpenRLHF at %s: the answer behind the prompt, without special tokens',
    async (path) => {
      const { post, gym } = open({ environments });
      const reply = await post(path, {
        query: [`${prompt}${block('0.5')}<|im_end|>`, `${prompt}nothing fenced<|im_end|>\n`, `${prompt}1</s>`],
        prompts: [prompt, prompt, prompt],
        labels: ['coin', '{"environment": "sum", "variant": "eval"}', { environment: 'coin' }],
      });
      expect(reply.body).toEqual({ rewards: [0.5, 0, 1], scores: [0.5, 0, 1], extra_logs: { passed: [0, 0, 1] } });
      expect(gym.runs.map(({ answer }) => answer).sort()).toEqual(['0.5', '1', 'nothing fenced']);
    },
  );

  it('OpenRLHF: the environment of the URL, or the server’s, whatever the labels are', async () => {
    const { post, gym } = open({ environments, defaultEnvironment: environments[0]! });
    const ask = (query: string, labels: unknown[]) =>
      post(`/get_reward${query}`, { query: ['p1'], prompts: ['p'], labels });
    expect((await ask('', ['42'])).body.rewards).toEqual([1]);
    expect((await ask('?environment=sum&variant=eval', ['42'])).body.rewards).toEqual([1]);
    expect(gym.runs).toMatchObject([
      { environment: 'coin', variant: 'train' },
      { environment: 'sum', variant: 'eval' },
    ]);
  });

  it('OpenRLHF: no verdict fails the request, as does a query that is not prompt and answer', async () => {
    const { post } = open({ environments });
    const ask = (body: unknown) => post('/get_reward', body);
    expect(await ask({ query: ['psandbox'], prompts: ['p'], labels: ['coin'] })).toMatchObject({
      status: 502,
      body: { no_verdict: true },
    });
    expect((await ask({ query: ['q1'], prompts: ['p'], labels: ['coin'] })).status).toBe(422);
    expect((await ask({ query: ['p1'], labels: ['coin'] })).status).toBe(422);
    expect((await ask({ query: ['p1'], prompts: ['p'], labels: [] })).status).toBe(422);
    expect((await ask({ query: ['p1'], prompts: ['p'], labels: [''] })).status).toBe(422);
  });

  it('verl’s compute_score', async () => {
    const { post } = open({ environments });
    const body = { data_source: 'coin', solution_str: block('1'), ground_truth: '', extra_info: { index: 3 } };
    expect(await post('/verl/compute_score', body)).toEqual({ status: 200, body: { score: 1, acc: 1 } });
    const other = { ...body, extra_info: { environment: 'sum', variant: 'eval' }, solution_str: '0.5' };
    expect((await post('/verl/compute_score', other)).body).toEqual({ score: 0.5, acc: 0 });
    expect(await post('/verl/compute_score', { ...body, solution_str: 'timeout' })).toMatchObject({ status: 504 });
    expect((await post('/verl/compute_score', { ...body, data_source: null, extra_info: null })).status).toBe(422);
    const { data_source, solution_str } = body;
    expect((await post('/verl/compute_score', { data_source, solution_str })).status).toBe(200);
  });

  it('every row without a verdict is null, none is 0', async () => {
    const { post } = open(
      { environments },
      fakeGym(() => noVerdict('sandbox')),
    );
    const reply = await post('/v1/rewards', { environment: 'coin', completions: ['1', '2', '3'] });
    expect(reply.body).toEqual({ rewards: [null, null, null], no_verdict: 3, causes: { sandbox: 3 } });
  });
});

describe('audits', () => {
  it('run the gate of an environment', async () => {
    const { post } = open();
    const reply = await post('/v1/environments/coin/audit', { strategies: ['forged-stdout'] });
    expect(reply).toMatchObject({
      status: 200,
      body: { verifier_id: 'coin', exploitable: false, attacks_run: expect.any(Number), stored: false },
    });
  });

  it('find duplicates, and divide environments into splits', async () => {
    const { post } = open({
      environments: ['a', 'b', 'c'].map((name) => fakeEnvironment(name, { task: 'The same.' })),
    });
    const ask = (more: object) => post('/v1/benchmarks/audit', { environment_ids: ['a', 'b', 'c'], ...more });
    const reply = await ask({ split_overrides: { a: 'private_holdout', b: 'public_train' } });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        benchmark: 'custom',
        environments: 3,
        duplicate_task_groups: [['a', 'b', 'c']],
        leaks: expect.arrayContaining([expect.objectContaining({ leak_type: 'task' })]),
        manifest: [{ env_id: 'a', split: 'private_holdout' }, { env_id: 'b', split: 'public_train' }, { env_id: 'c' }],
      },
    });
    expect((await ask({ split_overrides: { a: 'secret' } })).status).toBe(422);
    expect((await ask({ environment_ids: ['d_unknown'] })).status).toBe(404);
  });

  it('an unknown attack', async () => {
    const { post } = open();
    expect((await post('/v1/audit/verifier', { environment: 'coin', strategies: ['no_such'] })).status).toBeLessThan(
      500,
    );
    expect((await post('/v1/audit/verifier', { environment: 'coin', strategies: [] })).status).toBe(422);
  });
});

describe('capabilities', () => {
  it('are told', async () => {
    const { body } = await open().get('/v1/capabilities');
    expect(body).toMatchObject({ sync_run: true, async_jobs: true, sandbox: { name: 'local', isolated: true } });
  });
});
