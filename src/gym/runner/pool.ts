import { SandboxError } from '../sandbox/types.js';
import type { AttemptReport, AttemptRequest } from './attempt.js';
import type { Worker } from './worker.js';

interface PoolOptions {
  readonly start: (request: AttemptRequest) => Worker;
  /** Requests of one key can be served by the same worker. */
  readonly keyOf: (request: AttemptRequest) => string;
  /** Workers that wait for a request, at most; those that have waited longest go first. */
  readonly maxIdle: number;
  /** Start the next worker when one is used up, so that it is ready when it is wanted. */
  readonly ahead: boolean;
}

export interface Pool {
  attempt(request: AttemptRequest, signal?: AbortSignal): Promise<AttemptReport>;
  dispose(): Promise<void>;
}

/** Workers that wait, and those at work. */
export function createPool({ start, keyOf, maxIdle, ahead }: PoolOptions): Pool {
  const idle: { readonly key: string; readonly worker: Worker }[] = [];
  const ending = new Set<Promise<void>>();
  const working = new Set<Worker>();
  let disposed = false;

  const end = (worker: Worker) => {
    const ended: Promise<void> = worker.dispose().finally(() => ending.delete(ended));
    ending.add(ended);
  };
  const keep = (key: string, worker: Worker) => {
    idle.push({ key, worker });
    while (idle.length > maxIdle) end(idle.shift()!.worker);
  };
  const take = (key: string): Worker | null => {
    for (let index = idle.length - 1; index >= 0; index--) {
      if (idle[index]!.key !== key) continue;
      const [{ worker }] = idle.splice(index, 1) as [(typeof idle)[number]];
      if (worker.usable) return worker;
      end(worker);
    }
    return null;
  };

  return {
    async attempt(request, signal) {
      if (disposed) throw new SandboxError('the runner was disposed of', { retryable: false });
      const key = keyOf(request);
      const worker = take(key) ?? start(request);
      working.add(worker);
      try {
        return await worker.attempt(request, signal);
      } finally {
        working.delete(worker);
        if (worker.usable && !disposed) keep(key, worker);
        else {
          end(worker);
          if (ahead && !disposed) keep(key, start(request));
        }
      }
    },
    async dispose() {
      disposed = true;
      for (const worker of [...working, ...idle.splice(0).map((waiting) => waiting.worker)]) end(worker);
      while (ending.size > 0) await Promise.allSettled(ending);
    },
  };
}
