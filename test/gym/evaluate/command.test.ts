import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { run as evaluate } from '../../../src/cli/gym/eval.js';
import { run as serve } from '../../../src/cli/gym/serve.js';
import { gymAsset } from '../../../src/gym/assets.js';
import { describeIsolatedPython } from '../support.js';

const main = new URL('../../../src/cli/main.ts', import.meta.url).pathname;

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function start(args: readonly string[], environment: Record<string, string> = {}) {
  const { ANNEAL_GYM_API_KEY: _, DEEPGYM_API_KEY: __, OPENAI_API_KEY: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', main, 'gym', ...args], {
    env: { ...inherited, ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stderr.on('data', (data) => {
    stderr += data;
  });
  const firstLine = new Promise<string>((resolve) => {
    child.stdout.on('data', (data) => {
      stdout += data;
      if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')));
    });
    child.on('close', () => resolve(stdout));
  });
  const ended = new Promise<Outcome>((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
  return { child, firstLine, ended };
}

const anneal = (args: readonly string[], environment?: Record<string, string>) => start(args, environment).ended;

describeIsolatedPython('anneal gym eval and serve', () => {
  let folder: string;
  let reference: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'eval-'));
    reference = await readFile(gymAsset('environments/coin_change/reference.py'), 'utf8');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('judges a folder: table, JSON and exit codes', async () => {
    await mkdir(join(folder, 'coin_change'));
    await writeFile(join(folder, 'coin_change', '1.py'), reference);
    const one = ['eval', '--suite', 'coin_change', '--solutions-dir', folder];
    const passed = await anneal([...one, '--json']);
    expect({ ...passed, stdout: JSON.parse(passed.stdout) }).toMatchObject({
      code: 0,
      stdout: { suite: 'coin_change', environments: [{ name: 'coin_change', passed: 1 }], missing: [], noVerdict: [] },
    });
    await writeFile(join(folder, 'coin_change', '2.py'), 'def coin_change(coins, amount):\n    return -1\n');
    const two = ['eval', '--suite', 'coin_change,two_sum', '--solutions-dir', folder];
    const { code, stdout } = await anneal([...two, '--k', '1,2', '--variant', 'eval']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/missing +two_sum/);
    expect(stdout).toMatch(/coin_change +eval +1 of 2/);
    expect(stdout).toMatch(/pass@1 +25\.0 %/);
    expect(stdout).toMatch(/pass@2 +50\.0 %/);
  });

  it('asks a model, and stores what it said', async () => {
    const seen: { key: string | undefined; content: string }[] = [];
    const stub: Server = createServer(async (incoming, outgoing) => {
      let text = '';
      for await (const part of incoming) text += part;
      seen.push({ key: incoming.headers.authorization, content: JSON.parse(text).messages[0].content });
      outgoing.end(
        JSON.stringify({ choices: [{ message: { content: `Sure:\n\`\`\`python\n${reference}\n\`\`\`` } }] }),
      );
    });
    await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(stub.address() as AddressInfo).port}/v1`;
      const traces = join(folder, 'traces');
      const args = ['--base-url', url, '--model', 'tiny', '--samples', '2', '--api-key-env', 'KEY', '--traces', traces];
      const { code, stdout } = await anneal(['eval', '--suite', 'coin_change', ...args, '--json'], { KEY: 'k' });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ model: 'tiny', environments: [{ scored: 2, passed: 2 }] });
      expect(seen).toHaveLength(2);
      expect(seen[0]).toMatchObject({ key: 'Bearer k', content: expect.stringContaining('coin_change') });
      const { openTraceStore } = await import('../../../src/gym/trace/index.js');
      const stored = [];
      for await (const trace of openTraceStore(traces).read()) stored.push(trace);
      expect(stored).toMatchObject([
        { environment: 'coin_change', model: 'tiny', verdict: { kind: 'scored', score: 1 } },
        { environment: 'coin_change', model: 'tiny' },
      ]);
    } finally {
      stub.closeAllConnections();
      stub.close();
    }
  });

  it('serves verdicts until it is told to stop, and leaves nothing behind', async () => {
    const { child, firstLine, ended } = start(['serve', '--port', '0', '--environment', 'coin_change'], {
      DEEPGYM_API_KEY: 'k',
    });
    const url = await firstLine;
    const post = async (path: string, body: unknown) => {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'X-API-Key': 'k' },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    };
    expect(
      await post('/v1/run', { environment: 'coin_change', variant: 'holdout', model_output: reference }),
    ).toMatchObject({
      status: 200,
      body: { score: 1, passed: true, variant: 'holdout' },
    });
    expect(await post('/get_reward', { query: ['hello def f'], prompts: ['hello '], labels: ['42'] })).toMatchObject({
      status: 200,
      body: { rewards: [0] },
    });
    const deepgym = {
      task: 'Return 1.',
      verifier_code:
        'import importlib.util as u\ns = u.spec_from_file_location("s", solution_path)\nm = u.module_from_spec(s)\ns.loader.exec_module(m)\nreturn m.f() == 1',
    };
    expect(await post('/v1/run', { environment: deepgym, model_output: 'def f():\n    return 1' })).toMatchObject({
      status: 200,
      body: { score: 1, passed: true },
    });
    expect((await post('/v1/run', { environment: 'coin_change', variant: 'no', model_output: '' })).status).toBe(422);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('stopping') });
  });
});

describe('arguments', () => {
  let said = '';
  beforeEach(() => {
    said = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      said += text;
      return true;
    });
    vi.stubEnv('ANNEAL_GYM_API_KEY', '');
    vi.stubEnv('DEEPGYM_API_KEY', '');
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  const answers = tmpdir();
  const model = ['--base-url', 'http://x/v1', '--model', 'm'];
  it.each<readonly [(args: string[]) => Promise<number>, string[], RegExp]>([
    [evaluate, [], /--suite/],
    [evaluate, ['--suite', 'all'], /--solutions-dir DIR, or --base-url/],
    [evaluate, ['--suite', 'coin_chnage', ...model], /coin_change/],
    [evaluate, ['--suite', 'all', '--solutions-dir', answers, '--samples', '3'], /--samples has no effect/],
    [evaluate, ['--suite', 'all', '--solutions-dir', '/no/such'], /no folder of answers/],
    [evaluate, ['--suite', 'all', ...model, '--k', '5'], /--k 5 takes at least 5/],
    [evaluate, ['--suite', 'all', ...model, '--temperature', 'hot'], /--temperature hot/],
    [evaluate, ['--suite', 'all', ...model, '--api-key-env', 'NO_KEY'], /NO_KEY.*not set/],
    [evaluate, ['--suite', 'all', '--base-url', 'x', '--model', 'm'], /no URL/],
    [serve, [], /ANNEAL_GYM_API_KEY/],
    [serve, ['--no-auth', '--port', 'x'], /--port x/],
    [serve, ['--no-auth', '--host', '0.0.0.0', '--sandbox', 'none'], /without a key/],
    [serve, ['--prot', '1'], /--port/],
  ])('%o %j', async (run, args, message) => {
    const code = await run(args).catch((error: Error) => {
      said += error.message;
      return 1;
    });
    expect(code).not.toBe(0);
    expect(said).toMatch(message);
  });
});
