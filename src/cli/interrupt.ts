/** A signal that fires on the first SIGINT or SIGTERM. A second one ends the process at once. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Gives the signals back to their default. */
  release(): void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** One Ctrl-C can arrive twice: from the terminal, and passed on by npm or npx. */
const echoMs = 500;

export function onInterrupt(announce: () => void): Interrupt {
  const controller = new AbortController();
  let first = 0;
  const handle = (): void => {
    if (controller.signal.aborted) {
      if (performance.now() - first > echoMs) process.exit(130);
      return;
    }
    first = performance.now();
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
