import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWatchdog } from '../../../src/rl/index.js';
import { temporaryDirectory } from '../../models/temporary-directory.js';

test('a call that blocks the thread is named while it blocks it; one that has ended is not', async () => {
  const path = join(await temporaryDirectory(), 'stderr');
  const descriptor = openSync(path, 'w');
  const watchdog = createWatchdog(descriptor);
  watchdog.watch('never said', 1_000_000)();
  watchdog.watch('Reward f has not returned', 1);
  const patience = performance.now() + 60_000;
  while (readFileSync(path, 'utf8') === '' && performance.now() < patience);
  expect(readFileSync(path, 'utf8')).toBe('\nReward f has not returned\n');
  await watchdog.close();
  closeSync(descriptor);
});
