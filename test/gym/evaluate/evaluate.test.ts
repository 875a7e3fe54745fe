import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { evaluate, folderAnswers, openEndpoint, sampledAnswers } from '../../../src/gym/evaluate/index.js';
import { createLimiter } from '../../../src/gym/limiter.js';
import { fakeEnvironment, fakeGym } from '../reward/fake-gym.js';

const environments = ['a', 'b', 'cyber/c'].map((name) => fakeEnvironment(name));

describe('a folder of answers', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'answers-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function write(files: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
  }

  it('is judged in the order of the suite, with names; what is missing and what nobody judged is told apart', async () => {
    await write({
      'cyber/c.json': '1',
      'a/10.py': '1',
      'a/9.py': '0.5',
      'a/2.js': 'sandbox',
      'other.py': '1',
      '.x': '',
    });
    const gym = fakeGym();
    const source = await folderAnswers(folder);
    const report = await evaluate(gym, 'all', environments, source, { k: [1, 2, 3] });
    expect(report.environments.map(({ name, answers }) => [name, answers.map((one) => one.name)])).toEqual([
      ['a', ['a/2.js', 'a/9.py', 'a/10.py']],
      ['b', []],
      ['cyber/c', ['cyber/c.json']],
    ]);
    expect(report.environments).toMatchObject([
      { scored: 2, passed: 1, noVerdict: 1, passRate: 0.5, meanScore: 0.75, missing: false },
      { scored: 0, passed: 0, noVerdict: 0, passRate: 0, meanScore: 0, missing: true },
      { scored: 1, passed: 1, passRate: 1, meanScore: 1 },
    ]);
    expect(report).toMatchObject({
      suite: 'all',
      model: null,
      missing: ['b'],
      noVerdict: [{ environment: 'a', answer: 'a/2.js', cause: 'sandbox', message: 'sandbox failed' }],
      passRate: { value: 0.5 },
      passAtK: [
        { k: 1, value: 0.5, environments: 3 },
        { k: 2, value: 0.5, environments: 2 },
        { k: 3, value: 0, environments: 1 },
      ],
    });
    expect(report.meanScore?.value).toBeCloseTo(1.75 / 3);
    expect(source.unused()).toEqual(['other.py']);
    expect(gym.runs.find(({ answer }) => answer === 'sandbox')?.language).toBe('javascript');
  });

  it('takes files as they are, but what a model wrote by its block', async () => {
    await write({ 'a.md': 'So:\n```python\n1\n```', 'b.txt': '```\n1\n```' });
    const gym = fakeGym();
    await evaluate(gym, 's', environments, await folderAnswers(folder));
    // Environments are judged side by side, in no order.
    expect(gym.runs.map(({ answer }) => answer).toSorted()).toEqual(['1', '```\n1\n```']);
  });

  it('says that it is not there', async () => {
    await expect(folderAnswers(join(folder, 'no'))).rejects.toThrow(/no is no folder of answers.*ENOENT/);
  });

  it('skips, with the reason, what cannot be asked so', async () => {
    await write({ 'steps.py': '1', 'file.py': '1', 'shell.sh': '1', 'text.txt': '1' });
    const episode = (answerFile: string | null) => ({
      maxSteps: 1,
      stepSeconds: 1,
      files: {},
      actions: [],
      tools: [],
      answerFile,
      stepReward: 'none' as const,
    });
    const suite = [
      fakeEnvironment('steps', { kind: 'episode', episode: episode(null) }),
      fakeEnvironment('file', { kind: 'episode', episode: episode('file.py') }),
      fakeEnvironment('shell', { kind: 'script', languages: ['bash'] }),
      fakeEnvironment('text', { kind: 'document', languages: [] }),
    ];
    const report = await evaluate(fakeGym(), 's', suite, await folderAnswers(folder), { language: 'python' });
    expect(report.skipped).toEqual([
      { environment: 'steps', reason: 'it is answered in steps' },
      { environment: 'shell', reason: 'it takes bash and no python' },
    ]);
    expect(report.environments.map(({ name, passed }) => [name, passed])).toEqual([
      ['file', 1],
      ['text', 1],
    ]);
  });
});

describe('a model behind an endpoint', () => {
  let server: Server;
  let url: string;
  let asked: { readonly path: string; readonly key: string | undefined; readonly body: Record<string, unknown> }[];
  type Reaction = {
    status?: number;
    headers?: Record<string, string>;
    text?: string;
    content?: unknown;
    hangUp?: boolean;
  };
  let react: (body: Record<string, unknown>, number: number) => Reaction;

  beforeEach(async () => {
    asked = [];
    react = () => ({ content: '1' });
    server = createServer(async (incoming: IncomingMessage, outgoing) => {
      let text = '';
      for await (const part of incoming) text += part;
      const body = JSON.parse(text);
      asked.push({ path: incoming.url!, key: incoming.headers.authorization, body });
      const { status = 200, headers = {}, hangUp = false, ...reply } = react(body, asked.length);
      if (hangUp) return incoming.socket.destroy();
      outgoing.writeHead(status, headers);
      outgoing.end(
        reply.text ??
          JSON.stringify({
            choices: [{ message: { role: 'assistant', content: reply.content }, finish_reason: 'stop' }],
          }),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const endpoint = (options: object = {}) => openEndpoint({ baseUrl: url, model: 'tiny', backoffMs: 1, ...options });
  const source = (options: { samples?: number; seed?: number; endpoint?: object } = {}) =>
    sampledAnswers(endpoint(options.endpoint), {
      samples: options.samples ?? 1,
      seed: options.seed,
      limit: createLimiter(2),
    });

  it('is asked for samples with seeds, and its code is judged', async () => {
    react = ({ seed }) => ({ content: `<think>0</think>\`\`\`python\n${seed === 8 ? 1 : 0.5}\n\`\`\`` });
    const gym = fakeGym();
    const answers = source({ samples: 3, seed: 7, endpoint: { apiKey: 'k', temperature: 0.5, maxTokens: 100 } });
    const report = await evaluate(gym, 's', environments.slice(0, 2), answers, { k: [1, 3], variant: 'eval' });
    expect(report.model).toBe('tiny');
    expect(report.environments.map(({ name, answers: own }) => [name, own.map((one) => one.name)])).toEqual([
      ['a', ['1', '2', '3']],
      ['b', ['1', '2', '3']],
    ]);
    expect(report.passAtK).toMatchObject([
      { k: 1, value: expect.closeTo(1 / 3) },
      { k: 3, value: 1 },
    ]);
    expect(asked).toHaveLength(6);
    expect(asked[0]).toEqual({
      path: '/v1/chat/completions',
      key: 'Bearer k',
      body: {
        model: 'tiny',
        messages: [{ role: 'user', content: 'The task of a. (eval, python)' }],
        temperature: 0.5,
        max_tokens: 100,
        seed: 7,
      },
    });
    expect(asked.map(({ body }) => body.seed).sort()).toEqual([7, 7, 8, 8, 9, 9]);
  });

  it('is asked again where it is busy, fails, hangs up or talks nonsense', async () => {
    const reactions: Reaction[] = [
      { status: 429, headers: { 'Retry-After': '0' } },
      { status: 500 },
      { hangUp: true },
      { text: 'oops' },
      { text: '{"choices": []}' },
      { content: '1' },
    ];
    react = (_, number) => reactions[number - 1]!;
    expect(await endpoint().ask('p', undefined)).toEqual({ text: '1', truncated: false });
    expect(asked).toHaveLength(6);
  });

  it('without an answer after all attempts there is no verdict, and no 0', async () => {
    react = ({ messages }) =>
      JSON.stringify(messages).includes('of a') ? { status: 503, text: 'down' } : { content: '1' };
    const report = await evaluate(fakeGym(), 's', environments.slice(0, 2), source({ endpoint: { retries: 2 } }));
    expect(report.noVerdict).toEqual([
      {
        environment: 'a',
        answer: '1',
        cause: 'endpoint',
        message: expect.stringMatching(/503: down \(after 3 attempts\)/),
      },
    ]);
    expect(report.environments).toMatchObject([{ passRate: null, missing: false }, { passRate: 1 }]);
    expect(report.passRate?.value).toBe(1);
    expect(asked).toHaveLength(4);
  });

  it('a wrong key ends it all at once', async () => {
    react = () => ({ status: 401, text: 'no such key' });
    await expect(evaluate(fakeGym(), 's', environments, source({ samples: 5 }))).rejects.toThrow(/401: no such key/);
    expect(asked.length).toBeLessThan(6);
  });

  it('takes its time only so long', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const one = openEndpoint({ baseUrl, model: 'm', retries: 0, timeoutSeconds: 0.05 });
      await expect(one.ask('p', undefined)).rejects.toThrow('no answer within 0.05 s');
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  it('stops with its signal', async () => {
    const controller = new AbortController();
    react = () => {
      controller.abort(new Error('stopped'));
      return { status: 503 };
    };
    const options = { signal: controller.signal };
    await expect(evaluate(fakeGym(), 's', environments, source(), options)).rejects.toThrow();
  });

  it('nothing written is an empty answer; a cut one says so', async () => {
    react = () => ({ text: JSON.stringify({ choices: [{ message: { content: null }, finish_reason: 'length' }] }) });
    expect(await endpoint().ask('p', undefined)).toEqual({ text: '', truncated: true });
  });

  it.each(['localhost:8000', 'file:///x', ''])('refuses %s as a URL', (baseUrl) => {
    expect(() => openEndpoint({ baseUrl, model: 'm' })).toThrow('no URL of an endpoint');
  });
});
