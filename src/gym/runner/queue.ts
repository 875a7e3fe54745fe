/** Runs tasks in the order in which they came, at most `limit` at a time. */
export interface Queue {
  /** Rejects with the signal's reason when it is aborted before the task's turn. */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Resolves when no task runs and none waits. */
  idle(): Promise<void>;
}

export function createQueue(limit: number): Queue {
  let running = 0;
  const onIdle: (() => void)[] = [];
  // Removal keeps the order, so a set of waiting tasks is a queue.
  const waiting = new Set<() => void>();
  const turn = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        waiting.delete(start);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
      waiting.add(start);
    });
  return {
    async run(task, signal) {
      signal?.throwIfAborted();
      if (running < limit) running++;
      else await turn(signal);
      try {
        return await task();
      } finally {
        const [next] = waiting;
        if (next === undefined) {
          running--;
          if (running === 0) for (const resolve of onIdle.splice(0)) resolve();
        } else {
          waiting.delete(next);
          next();
        }
      }
    },
    async idle() {
      if (running > 0) await new Promise<void>((resolve) => onIdle.push(resolve));
    },
  };
}
