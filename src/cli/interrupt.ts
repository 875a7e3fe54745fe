/** A signal that fires on the first SIGINT or SIGTERM. The second ends the process at once. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the signals back to their default. */
  release(): void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

export function onInterrupt(announce: () => void): Interrupt {
  const controller = new AbortController();
  const handle = (): void => {
    if (controller.signal.aborted) process.exit(130);
    announce();
    controller.abort(new DOMException('stopped', 'AbortError'));
  };
  for (const signal of signals) process.on(signal, handle);
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of signals) process.off(signal, handle);
    },
  };
}
