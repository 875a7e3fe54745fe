import { SandboxError } from './types.js';

/** What ends with a sandbox of this machine: the commands that run in it, then its files. */
interface Lifetime {
  /** Aborted when the sandbox is disposed of. */
  readonly signal: AbortSignal;
  /** Does something that `dispose` waits for. @throws SandboxError once the sandbox has been disposed of */
  run<T>(work: () => Promise<T>): Promise<T>;
  dispose(): Promise<void>;
}

export function lifetime(id: string, remove: () => Promise<void>): Lifetime {
  const closed = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    signal: closed.signal,
    async run(work) {
      closed.signal.throwIfAborted();
      const done = work();
      running.add(done);
      try {
        return await done;
      } finally {
        running.delete(done);
      }
    },
    async dispose() {
      closed.abort(new SandboxError(`the sandbox ${id} has been disposed of`, { retryable: false }));
      await Promise.allSettled(running);
      await remove();
    },
  };
}
