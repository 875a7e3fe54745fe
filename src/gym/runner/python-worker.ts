import { keepStart } from '../../../gym/drivers/attempt.mjs';
import { SandboxError } from '../sandbox/types.js';
import type { AttemptReport } from './attempt.js';
import { type ChannelPlan, sandboxFailure, startProcess } from './channel-process.js';
import { readFrames, writeFrame } from './frames.js';
import { jobOf, type Worker } from './worker.js';

/** The driver's limit for an answer's channel, three times over for escapes, and its output. */
const maxFrameBytes = 3 * 2 ** 25 + 2 ** 24;
/** What the driver may take beyond the time that it keeps itself, before it is taken for dead. */
const graceSeconds = 15;
const what = 'the Python driver';

/**
 * The fork server of gym/drivers/driver.py: a new process for each request, the server itself untouched by any.
 * @param oneUse the sandbox around it is for one request, and the answer may end it
 */
export function startPythonWorker(plan: ChannelPlan, { oneUse }: { readonly oneUse: boolean }): Worker {
  const process = startProcess(plan);
  const said = keepStart(process.stderr, 4096);
  process.stdout.resume();
  let usable = true;
  let started = 0;
  let ready = false;
  let progress = '';
  let waiting: { resolve(report: AttemptReport): void; reject(error: Error): void } | null = null;
  const fail = (error: Error) => {
    usable = false;
    waiting?.reject(error);
    waiting = null;
  };
  const succeed = (report: AttemptReport) => {
    if (oneUse) usable = false;
    waiting?.resolve(report);
    waiting = null;
  };
  const lost = () => {
    // In the sandbox of one answer the driver is as mortal as the answer wishes; the sandbox is not.
    if (oneUse && ready && process.child.signalCode === null) {
      const lines = progress.split('\n').slice(0, -1);
      succeed({ lines, end: 'ended', detail: 'killed', stdout: '', stderr: '', ms: performance.now() - started });
    } else fail(sandboxFailure(what, process, said.text()));
  };
  process.channel.once('close', () => void process.gone.then(lost));
  void process.gone.then(() => process.channel.destroy());
  readFrames(
    process.channel,
    maxFrameBytes,
    (message) => {
      const report = message as AttemptReport & { readonly broken?: string; ready?: boolean; progress?: string };
      if (report.ready) ready = true;
      else if (report.progress !== undefined) progress += report.progress;
      else if (report.broken !== undefined) fail(new SandboxError(`${what} failed: ${report.broken}`));
      else succeed(report);
    },
    (problem) => fail(new SandboxError(`${what} sent ${problem}`)),
  );

  return {
    get usable() {
      return usable;
    },
    async attempt(request, signal) {
      signal?.throwIfAborted();
      if (!usable) throw sandboxFailure(what, process, said.text());
      const abort = () => fail(signal?.reason as Error);
      const seconds = request.limits.totalSeconds + graceSeconds;
      // Also what keeps this process alive while it waits.
      const timer = setTimeout(
        () => fail(new SandboxError(`${what} did not answer within ${seconds.toFixed(0)} s`)),
        seconds * 1000,
      );
      signal?.addEventListener('abort', abort, { once: true });
      started = performance.now();
      try {
        return await new Promise<AttemptReport>((resolve, reject) => {
          waiting = { resolve, reject };
          writeFrame(process.channel, jobOf(request));
        });
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      }
    },
    async dispose() {
      fail(new SandboxError('the runner was disposed of', { retryable: false }));
      await process.kill();
    },
  };
}
