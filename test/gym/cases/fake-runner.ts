import type { CallOutcome, JobResult, Runner } from '../../../src/gym/runner/types.js';
import type { GymContext } from '../../../src/gym/types.js';
import { toPlain, toValue, type Value } from '../../../src/gym/value.js';

/** Runs JavaScript in this process; enough for the generators and references of tests. `jobs` counts what was asked of it. */
export function fakeContext(): { readonly context: GymContext; readonly jobs: string[] } {
  const jobs: string[] = [];
  const runner: Runner = {
    async run({ source, functionName, calls, trusted }): Promise<JobResult> {
      if (!trusted) throw new Error('only for trusted jobs');
      jobs.push(functionName);
      const rest = { calls: [], outOfTime: false, stdout: '', stderr: '', ms: 0 };
      let module: Record<string, unknown>;
      try {
        module = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`);
      } catch (error) {
        return { ...rest, kind: 'load-failed', problem: String(error) };
      }
      const called = module[functionName] as ((...args: unknown[]) => unknown) | undefined;
      if (called === undefined) return { ...rest, kind: 'no-function', problem: null };
      return { ...rest, kind: 'ran', problem: null, calls: calls.map((input) => call(called, input)) };
    },
    capabilities: () => Promise.reject(new Error('not asked for')),
    workers: 1,
    dispose: async () => {},
  };
  return { context: { runner, sandboxes: null as never, retries: 0 }, jobs };
}

function call(called: (...args: unknown[]) => unknown, input: readonly Value[]): CallOutcome {
  try {
    return { kind: 'value', value: toValue(called(...input.map(toPlain))), ms: 0 };
  } catch (error) {
    const { name, message } = error as Error;
    return { kind: 'error', type: name, message, ms: 0 };
  }
}
