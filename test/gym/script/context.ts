import { afterAll, beforeAll } from 'vitest';
import { openRunner } from '../../../src/gym/runner/index.js';
import { openSandboxes } from '../../../src/gym/sandbox/index.js';
import type { SandboxLimits } from '../../../src/gym/sandbox/types.js';
import type { GymContext } from '../../../src/gym/types.js';

export const limits: SandboxLimits = { seconds: 30, memoryMb: 512, processes: 64, outputKb: 32_768, diskMb: 32 };

/** A context with isolation for the tests of one `describe`, closed after them. */
export function isolatedContext(): () => GymContext {
  let context: GymContext;
  beforeAll(async () => {
    const sandboxes = await openSandboxes('local');
    context = { sandboxes, runner: await openRunner({ sandbox: sandboxes, workers: 2 }), retries: 0 };
  });
  afterAll(async () => {
    await context.runner.dispose();
    await context.sandboxes.dispose();
  });
  return () => context;
}
