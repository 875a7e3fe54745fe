import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gymAsset } from '../../../src/gym/assets.js';
import { type GymServer, serveGym } from '../../../src/gym/server/index.js';
import { fakeEnvironment, fakeGym } from '../reward/fake-gym.js';

const noPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status !== 0;
if (noPython) console.warn('skipped: rewards in Python (there is no python3, 3.8 or later)');

describe.skipIf(noPython)('anneal_gym_rewards.py', () => {
  let server: GymServer;
  const gym = fakeGym();
  beforeAll(async () => {
    server = await serveGym({
      gym,
      keys: ['k'],
      port: 0,
      environments: [fakeEnvironment('coin'), fakeEnvironment('sum')],
    });
  });
  afterAll(() => server.close(0));

  /** Runs statements that end with `result = …`, and gives the result. */
  function python(code: string, environment: Record<string, string> = {}): Promise<unknown> {
    const program = `import json, anneal_gym_rewards as gym\n${code}\nprint(json.dumps(result))\n`;
    const child = spawn('python3', ['-B', '-c', program], {
      cwd: gymAsset('python'),
      env: { PATH: process.env.PATH, ANNEAL_GYM_URL: server.url, ANNEAL_GYM_KEY: 'k', ...environment },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data) => {
      stdout += data;
    });
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    return new Promise((resolve, reject) => {
      child.on('close', (code) => (code === 0 ? resolve(JSON.parse(stdout)) : reject(new Error(stderr))));
    });
  }

  it('row_reward: what TRL passes, plain and conversational, None for no verdict', async () => {
    const code = `
result = gym.row_reward(
    prompts=["p"] * 4,
    completions=["1", [{"role": "assistant", "content": "\`\`\`python\\n0.5\\n\`\`\`"}], "sandbox", "0.25"],
    completion_ids=[[1], [2], [3], [4]],
    data_source=["coin"] * 4,
    extra_info=[{"environment": "sum", "variant": "eval", "index": i} for i in range(4)],
    env=["a"] * 4, model_output=["b"] * 4, trainer_state=object(), log_metric=print,
)`;
    expect(await python(code)).toEqual([1, 0.5, null, 0.25]);
    expect(gym.runs.at(-1)).toMatchObject({ environment: 'sum', variant: 'eval' });
  });

  it('row_reward: data_source alone, or the environment of the variable', async () => {
    expect(await python('result = gym.row_reward(["p"], ["1"], data_source=["coin"])')).toEqual([1]);
    const variable = { ANNEAL_GYM_ENVIRONMENT: 'coin' };
    expect(await python('result = gym.row_reward(prompts=["p"], completions=["1"])', variable)).toEqual([1]);
    await expect(python('result = gym.row_reward(prompts=["p"], completions=["1"])')).rejects.toThrow(
      'ANNEAL_GYM_ENVIRONMENT',
    );
  });

  it('make_reward: one environment', async () => {
    const code =
      'f = gym.make_reward("coin", variant="eval")\nresult = [f.__name__, f(prompts=["p"], completions=["0.5"])]';
    expect(await python(code)).toEqual(['gym_coin', [0.5]]);
  });

  it('has the parameters that Axolotl asks for', async () => {
    const code =
      'import inspect\nresult = [len(inspect.signature(f).parameters) >= 2 for f in (gym.row_reward, gym.make_reward("coin"))]';
    expect(await python(code)).toEqual([true, true]);
  });

  it('compute_score: verl’s four arguments', async () => {
    expect(await python('result = gym.compute_score("coin", "0.5", "", {"index": 1, "other": object()})')).toBe(0.5);
    expect(
      await python(
        'result = gym.compute_score(data_source="x", solution_str="1", ground_truth=None, extra_info={"environment": "sum"})',
      ),
    ).toBe(1);
    await expect(python('result = gym.compute_score("coin", "timeout", "", None)')).rejects.toThrow(
      /NoVerdict: timeout/,
    );
  });

  it('reward_func: OpenRLHF’s three lists', async () => {
    const code = 'result = gym.reward_func(["p0.5</s>", "p1"], ["p", "p"], ["coin", "sum"])';
    expect(await python(code)).toMatchObject({ rewards: [0.5, 1], scores: [0.5, 1] });
  });

  it('says what is wrong', async () => {
    const call = 'result = gym.row_reward(["p"], ["1"], data_source=["coin_chnage"])';
    await expect(python(call)).rejects.toThrow(/answered 404.*coin_change/);
    await expect(python(call, { ANNEAL_GYM_KEY: 'wrong' })).rejects.toThrow(/answered 401/);
    const nobody = { ANNEAL_GYM_URL: 'http://127.0.0.1:9', ANNEAL_GYM_ATTEMPTS: '2' };
    await expect(python(call, nobody)).rejects.toThrow(/cannot be reached.*anneal gym serve/);
  });

  it('tries again where the connection breaks or the server is busy', async () => {
    let requests = 0;
    const flaky = createServer((incoming, outgoing) => {
      requests++;
      if (requests === 1) incoming.destroy();
      else if (requests === 2) outgoing.writeHead(503).end('busy');
      else outgoing.end('{"rewards": [1]}');
    });
    await new Promise<void>((resolve) => flaky.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(flaky.address() as AddressInfo).port}`;
      const call = 'result = gym.row_reward(["p"], ["1"], data_source=["coin"])';
      expect(await python(call, { ANNEAL_GYM_URL: url })).toEqual([1]);
      expect(requests).toBe(3);
    } finally {
      flaky.close();
    }
  });
});
