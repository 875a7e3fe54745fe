import { expect, it } from 'vitest';
import { startProcess } from '../../../src/gym/runner/channel-process.js';

it('a process is gone once its status has been read, which may be written after its end', async () => {
  // What writes the status waits until nothing is left of the process, so that its end is always known first.
  const script = '(while kill -0 $$ 2> /dev/null; do :; done; echo 7 >&3) & exit 7';
  const plan = { file: '/bin/sh', args: ['-c', script], env: {} };
  const process = startProcess({ plan, kind: 'sandbox-status' });
  await process.gone;
  expect(process.child.exitCode).toBe(7);
  expect(process.status()).toBe('7\n');
  await process.kill();
});

it('a process that cannot be started is gone', async () => {
  const plan = { file: '/nowhere/program', args: [], env: {} };
  const process = startProcess({ plan, kind: 'sandbox-status' });
  await process.gone;
  expect(process.status()).toBe('');
  await process.kill();
});
