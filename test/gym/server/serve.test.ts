import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type GymServer, type ServeOptions, serveGym } from '../../../src/gym/server/index.js';
import { fakeEnvironment, fakeGym } from '../reward/fake-gym.js';

let servers: GymServer[] = [];
afterEach(async () => {
  await Promise.all(servers.map((server) => server.close(0)));
  servers = [];
});

async function serve(options: Partial<ServeOptions> = {}): Promise<GymServer> {
  const environments = [fakeEnvironment('coin')];
  const server = await serveGym({ gym: fakeGym(), keys: ['k'], port: 0, environments, ...options });
  servers.push(server);
  return server;
}

describe('serveGym', () => {
  it('listens on this machine’s own address', async () => {
    const { url } = await serve();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect((await fetch(`${url}/v1/environments`)).status).toBe(401);
  });

  it.each(['0.0.0.0', '::', '192.0.2.1', 'example.org'])('refuses %s without a key', async (host) => {
    await expect(serve({ keys: null, host })).rejects.toThrow(/without a key.*own address/);
  });

  it('serves this machine without a key', async () => {
    const { url } = await serve({ keys: null, host: 'localhost' });
    expect((await fetch(`${url}/v1/environments`)).status).toBe(200);
  });

  it('an empty key is no key, nor is a list of none', async () => {
    await expect(serve({ keys: [''] })).rejects.toThrow('empty key');
    await expect(serve({ keys: [] })).rejects.toThrow('empty key');
  });

  it('says that a port is taken', async () => {
    const { url } = await serve();
    await expect(serve({ port: Number(new URL(url).port) })).rejects.toThrow(
      /cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/,
    );
  });

  it('answers what it has begun before it closes', async () => {
    const gym = fakeGym();
    const { url, close } = await serve({ gym });
    const reply = fetch(`${url}/v1/run`, {
      method: 'POST',
      headers: { 'X-API-Key': 'k' },
      body: JSON.stringify({ environment: 'coin', model_output: 'wait' }),
    });
    await gym.waiting();
    const closed = close(50);
    // What is still judged when the time is up ends without a verdict.
    await reply.then(
      (response) => expect(response.status).toBe(503),
      () => undefined,
    );
    await closed;
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  it('stops judging for a client that hangs up', async () => {
    const gym = fakeGym();
    let stopped: () => void;
    const aborted = new Promise<void>((resolve) => {
      stopped = resolve;
    });
    const watched = {
      ...gym,
      run: async (...args: Parameters<typeof gym.run>) => {
        const verdict = await gym.run(...args);
        stopped();
        return verdict;
      },
    };
    const { url } = await serve({ gym: watched });
    const client = request(`${url}/v1/run`, { method: 'POST', headers: { 'X-API-Key': 'k' } });
    client.on('error', () => undefined);
    client.end(JSON.stringify({ environment: 'coin', model_output: 'wait' }));
    await gym.waiting();
    client.destroy();
    await aborted;
  });
});
