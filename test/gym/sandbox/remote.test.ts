import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DaytonaOptions, openDaytona } from '../../../src/gym/sandbox/daytona.js';
import { type E2bOptions, openE2b } from '../../../src/gym/sandbox/e2b.js';
import { importSdk } from '../../../src/gym/sandbox/remote-sdk.js';
import type { SandboxLimits } from '../../../src/gym/sandbox/types.js';
import { sandboxContract } from './contract.js';
import {
  AuthenticationError,
  DaytonaConnectionError,
  DaytonaTimeoutError,
  daytonaDouble,
  e2bDouble,
} from './doubles.js';

const limits: SandboxLimits = { seconds: 5, memoryMb: 1500, processes: 4096, outputKb: 64, diskMb: 16 };

const kept = [daytonaDouble(), e2bDouble()] as const;
afterAll(() => Promise.all(kept.map((double) => double.clear())));
sandboxContract('daytona', () => openDaytona({ apiKey: 'k', sdk: kept[0].sdk }));
sandboxContract('e2b', () => openE2b({ apiKey: 'k', sdk: kept[1].sdk }));

type Times = Pick<DaytonaOptions & E2bOptions, 'graceSeconds' | 'createSeconds' | 'retrySeconds' | 'onLeak'>;

const vendors = {
  daytona: () => {
    const double = daytonaDouble();
    return { double, open: (times: Times = {}) => openDaytona({ apiKey: 'k', sdk: double.sdk, ...times }) };
  },
  e2b: () => {
    const double = e2bDouble();
    return { double, open: (times: Times = {}) => openE2b({ apiKey: 'k', sdk: double.sdk, ...times }) };
  },
};

describe.each(['daytona', 'e2b'] as const)('trouble with %s', (name) => {
  let vendor: ReturnType<(typeof vendors)[typeof name]>;
  beforeEach(() => {
    vendor = vendors[name]();
  });
  afterEach(() => vendor.double.clear());

  it('a sandbox that is not created is a failure that another attempt may mend', async () => {
    vendor.double.trouble.create = new DaytonaConnectionError('connect ECONNREFUSED');
    await expect((await vendor.open()).create({ limits })).rejects.toMatchObject({
      name: 'SandboxError',
      reason: 'failed',
      retryable: true,
      message: expect.stringContaining('did not create a sandbox: connect ECONNREFUSED'),
    });
  });

  it('a refused key is no failure to retry', async () => {
    vendor.double.trouble.create = new AuthenticationError('bad key');
    await expect((await vendor.open()).create({ limits })).rejects.toMatchObject({
      reason: 'unavailable',
      retryable: false,
    });
  });

  it('silence while creating is a timeout', async () => {
    vendor.double.trouble.create = 'hang';
    const provider = await vendor.open({ createSeconds: 0.05 });
    await expect(provider.create({ limits })).rejects.toMatchObject({ name: 'SandboxError', reason: 'timeout' });
  });

  it('silence during a command is a timeout of the sandbox, not of the answer', async () => {
    const provider = await vendor.open({ graceSeconds: 1 });
    const box = await provider.create({ limits });
    vendor.double.trouble.command = 'hang';
    await expect(box.exec(['true'], { seconds: 0.1 })).rejects.toMatchObject({
      name: 'SandboxError',
      reason: 'timeout',
    });
    await provider.dispose();
    expect(vendor.double.alive.size).toBe(0);
  });

  it('a timeout that the SDK reports is a timeout of the sandbox', async () => {
    const provider = await vendor.open();
    const box = await provider.create({ limits });
    vendor.double.trouble.command = new DaytonaTimeoutError('deadline exceeded');
    await expect(box.exec(['true'])).rejects.toMatchObject({
      name: 'SandboxError',
      reason: 'timeout',
      retryable: true,
    });
    await provider.dispose();
  });

  it('a lost connection is a failure of the sandbox', async () => {
    const provider = await vendor.open();
    const box = await provider.create({ limits });
    vendor.double.trouble.command = new DaytonaConnectionError('socket hang up');
    await expect(box.exec(['true'])).rejects.toMatchObject({ name: 'SandboxError', reason: 'failed' });
    delete vendor.double.trouble.command;
    vendor.double.trouble.file = new DaytonaConnectionError('socket hang up');
    await expect(box.writeFile('x', '')).rejects.toMatchObject({
      name: 'SandboxError',
      message: expect.stringContaining('x'),
    });
    await provider.dispose();
  });

  it('deletes what could not be prepared', async () => {
    vendor.double.trouble.file = new DaytonaConnectionError('socket hang up');
    await expect((await vendor.open()).create({ limits, files: { a: '' } })).rejects.toThrow('did not prepare');
    expect(vendor.double.alive.size).toBe(0);
  });

  it('deletes again when deleting fails', async () => {
    const leaks: string[] = [];
    const provider = await vendor.open({ retrySeconds: 0, onLeak: (id) => leaks.push(id) });
    await provider.create({ limits });
    vendor.double.trouble.delete = { error: new Error('502'), times: 2 };
    await provider.dispose();
    expect(vendor.double.alive.size).toBe(0);
    expect(leaks).toEqual([]);
  });

  it('reports a sandbox that it could not delete', async () => {
    const leaks: string[] = [];
    const provider = await vendor.open({
      retrySeconds: 0,
      onLeak: (id, error) => leaks.push(`${id}: ${error.message}`),
    });
    const box = await provider.create({ limits });
    vendor.double.trouble.delete = { error: new Error('502'), times: 3 };
    await box.dispose();
    expect(leaks).toEqual([`${box.id}: 502`]);
  });

  it('deletes all that is left when it is disposed of', async () => {
    const provider = await vendor.open();
    await Promise.all([provider.create({ limits }), provider.create({ limits })]);
    expect(vendor.double.alive.size).toBe(2);
    await provider.dispose();
    expect(vendor.double.alive.size).toBe(0);
  });
});

describe('what the vendors are asked for', () => {
  it('Daytona: no network, deletion by itself, the limits where there is an image', async () => {
    const double = daytonaDouble();
    const provider = await openDaytona({ apiKey: 'k', apiUrl: 'https://own', image: 'img', sdk: double.sdk });
    await provider.create({ limits });
    await provider.dispose();
    expect(double.created[0]).toMatchObject({
      apiKey: 'k',
      apiUrl: 'https://own',
      image: 'img',
      resources: { cpu: 1, memory: 2, disk: 1 },
      networkBlockAll: true,
      ephemeral: true,
    });
  });

  it('E2B: no network, an end to its life', async () => {
    const double = e2bDouble();
    const provider = await openE2b({ apiKey: 'k', template: 't', lifetimeSeconds: 60, sdk: double.sdk });
    await provider.create({ limits });
    await provider.dispose();
    expect(double.created[0]).toMatchObject({
      template: 't',
      apiKey: 'k',
      allowInternetAccess: false,
      timeoutMs: 60_000,
    });
  });
});

describe('what is missing', () => {
  it('a key is named', async () => {
    await expect(openDaytona({ apiKey: '' })).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('DAYTONA_API_KEY'),
    });
    await expect(openE2b({ apiKey: '' })).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('E2B_API_KEY'),
    });
  });

  it('an SDK is named with the command that installs it', async () => {
    await expect(importSdk('e2b', 'Sandbox', ['anneal-no-such-package', 'anneal-nor-this'])).rejects.toMatchObject({
      name: 'SandboxError',
      reason: 'unavailable',
      message: expect.stringContaining('npm install anneal-no-such-package'),
    });
  });

  it('a package that is another one is said to be', async () => {
    await expect(importSdk('e2b', 'Sandbox', ['zod'])).rejects.toThrow('has no Sandbox');
  });
});
