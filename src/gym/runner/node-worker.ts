import { attempt, statusInWords, type Target } from '../../../gym/drivers/attempt.mjs';
import { descendants, proportionalBytes, residentBytes } from '../sandbox/process-tree.js';
import { SandboxError } from '../sandbox/types.js';
import { type ChannelPlan, type ChannelProcess, isAlive, sandboxFailure, startProcess } from './channel-process.js';
import { jobOf, type Worker } from './worker.js';

/** What Node holds before it has loaded an answer. */
const ownMemoryMb = 96;
const memoryEveryMs = 100;

/**
 * A process of gym/drivers/driver.mjs, started ahead.
 * @param keep serve one request after another, as long as all their calls succeed; otherwise it is for one request
 */
export function startNodeWorker(plan: ChannelPlan, { keep }: { readonly keep: boolean }): Worker {
  const process = startProcess(plan);
  let fresh = true;
  let usable = true;
  void process.gone.then(() => {
    usable = false;
  });
  return {
    get usable() {
      return usable;
    },
    async attempt(request, signal) {
      signal?.throwIfAborted();
      const stop = new AbortController();
      const gone = Promise.race([howItEnded(process, plan.kind), rejection(stop.signal)]);
      gone.catch(() => {});
      const target: Target = {
        channel: process.channel,
        stdout: process.stdout,
        stderr: process.stderr,
        gone,
        kill: () => void process.kill(),
        onMemory: (exceeded) => watchMemory(process, request.limits.memoryMb + ownMemoryMb, stop.signal, exceeded),
      };
      const abort = () => stop.abort(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      try {
        const hello = fresh;
        fresh = false;
        const report = await attempt(target, jobOf(request), { keep, hello });
        usable = keep && report.end === 'done' && report.lines.every((line) => /^\["(ready|v)"/.test(line));
        return report;
      } catch (error) {
        usable = false;
        if (signal?.aborted || error instanceof SandboxError) throw error;
        throw new SandboxError((error as Error).message, { cause: error });
      } finally {
        signal?.removeEventListener('abort', abort);
        stop.abort();
      }
    },
    async dispose() {
      usable = false;
      await process.kill();
    },
  };
}

async function howItEnded(process: ChannelProcess, kind: ChannelPlan['kind']): Promise<string> {
  await process.gone;
  const { exitCode, signalCode } = process.child;
  if (kind === 'plain' && exitCode !== null) return `exit code ${exitCode}`;
  if (kind === 'plain' && signalCode !== null) return `killed by ${signalCode}`;
  const status = /^(\d{1,3})\n/.exec(process.status())?.[1];
  if (status === undefined) throw sandboxFailure('the sandbox of a JavaScript answer', process, '');
  return statusInWords(Number(status));
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

function watchMemory({ child }: ChannelProcess, memoryMb: number, signal: AbortSignal, exceeded: () => void): void {
  const most = memoryMb * 2 ** 20;
  const timer = setInterval(() => {
    if (!isAlive(child)) return;
    const pids = [child.pid!, ...descendants(child.pid!)];
    const sum = (measure: (pid: number) => number) => pids.reduce((total, pid) => total + measure(pid), 0);
    if (sum(residentBytes) > most && sum(proportionalBytes) > most) exceeded();
  }, memoryEveryMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
