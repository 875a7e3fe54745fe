import { Worker } from 'node:worker_threads';

/** Tells of calls that block the thread for long, from a thread of its own: the blocked one cannot. */
export interface Watchdog {
  /** Writes `text` as a line after `afterMs`, unless the function it gives is called before. */
  watch(text: string, afterMs: number): () => void;
  close(): Promise<void>;
}

// process.stderr of a worker goes through the main thread, which is blocked; the descriptor does not.
const script = `
const { parentPort, workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
const timers = new Map();
parentPort.on('message', ({ id, text, afterMs }) => {
  clearTimeout(timers.get(id));
  timers.delete(id);
  if (text !== undefined) timers.set(id, setTimeout(() => writeSync(workerData, '\\n' + text + '\\n'), afterMs));
});`;

/** @param descriptor where it writes; default that of stderr */
export function createWatchdog(descriptor = 2): Watchdog {
  const worker = new Worker(script, { eval: true, execArgv: [], workerData: descriptor });
  worker.unref();
  let calls = 0;
  return Object.freeze({
    watch(text: string, afterMs: number) {
      const id = calls++;
      worker.postMessage({ id, text, afterMs });
      return () => worker.postMessage({ id });
    },
    async close() {
      await worker.terminate();
    },
  });
}
