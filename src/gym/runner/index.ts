import { availableParallelism } from 'node:os';
import { openSandboxes } from '../sandbox/index.js';
import type { SandboxName, SandboxProvider } from '../sandbox/types.js';
import { openLocalRunner } from './local-runner.js';
import { openSandboxRunner } from './sandbox-runner.js';
import type { Runner } from './types.js';

export type { CallJob, CallOutcome, JobLimits, JobResult, ProgramLanguage, Runner } from './types.js';

interface RunnerOptions {
  /** A provider stays the caller's: `dispose` of the runner leaves it open. */
  readonly sandbox: SandboxName | SandboxProvider;
  /** Jobs at a time. Default: the number of cores. */
  readonly workers?: number;
}

/**
 * Its processes start with the first job, and `dispose` ends them. What is missing on the machine (bubblewrap, Python) shows as a
 * SandboxError of the jobs that need it.
 */
export async function openRunner({ sandbox, workers = availableParallelism() }: RunnerOptions): Promise<Runner> {
  const sandboxes = typeof sandbox === 'string' ? await openSandboxes(sandbox) : sandbox;
  const isHere = sandboxes.name === 'local' || sandboxes.name === 'none';
  const runner = isHere ? openLocalRunner({ sandboxes, workers }) : openSandboxRunner(sandboxes, workers);
  if (typeof sandbox !== 'string') return runner;
  return Object.freeze<Runner>({
    ...runner,
    async dispose() {
      await runner.dispose();
      await sandboxes.dispose();
    },
  });
}
