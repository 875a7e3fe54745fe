/** Runs tasks, at most `limit` at a time, in the order in which they came. */
export function createLimiter(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  // A list of waiting tasks whose head moves: `shift` of a long array costs its length.
  let waiting: (() => void)[] = [];
  let head = 0;
  const next = () => {
    const start = waiting[head];
    if (start === undefined) {
      running--;
      waiting = [];
      head = 0;
      return;
    }
    head++;
    start();
  };
  return async (task) => {
    if (running < limit) running++;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await task();
    } finally {
      next();
    }
  };
}
