import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockDirectory } from '../../src/run/lock.js';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'anneal-lock-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const leave = (owner: object | string): Promise<void> =>
  writeFile(join(directory, '.lock'), typeof owner === 'string' ? owner : JSON.stringify(owner));

it('refuses a directory that a living process uses, and names it', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await leave({ pid: other.pid, host: hostname() });
  await expect(lockDirectory(directory)).rejects.toThrow(`in use by another run (process ${other.pid})`);
  const ended = once(other, 'exit');
  other.kill('SIGKILL');
  await ended;
  await (await lockDirectory(directory))();
  expect(await readdir(directory)).toEqual([]);
});

it('takes over what a killed run, another machine or a full disk left', async () => {
  for (const left of [{ pid: 2 ** 22 + 1, host: hostname() }, { pid: process.ppid, host: 'elsewhere' }, '', '{']) {
    await leave(left);
    await (await lockDirectory(directory))();
  }
});
