/** Runs a task in its turn; rejects with the signal's reason when it is aborted before. */
export type Limiter = <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Runs tasks in the order in which they came, at most `limit` at a time. */
export function createLimiter(limit: number): Limiter {
  let running = 0;
  // Those that left stay as null. The head moves: `shift` of a long array costs its length.
  let waiting: { start: (() => void) | null }[] = [];
  let head = 0;

  const turn = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiter.start = null;
        reject(signal?.reason);
      };
      const waiter = {
        start: (() => {
          signal?.removeEventListener('abort', leave);
          resolve();
        }) as (() => void) | null,
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(waiter);
    });
  const next = () => {
    while (head < waiting.length) {
      const { start } = waiting[head++]!;
      if (start !== null) return start();
    }
    running--;
    waiting = [];
    head = 0;
  };

  return async (task, signal) => {
    signal?.throwIfAborted();
    if (running < limit) running++;
    else await turn(signal);
    try {
      return await task();
    } finally {
      next();
    }
  };
}
