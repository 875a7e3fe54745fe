import { keepStart } from '../../../gym/drivers/attempt.mjs';
import { SandboxError } from '../sandbox/types.js';
import type { AttemptReport } from './attempt.js';
import { type ChannelPlan, sandboxFailure, startProcess } from './channel-process.js';
import { readFrames, writeFrame } from './frames.js';
import { jobOf, type Worker } from './worker.js';

/** The driver reads and passes on no more at a time. */
const maxFrameBytes = 2 ** 17;
/** What the driver may take beyond the time that it keeps itself, before it is taken for dead. */
const graceSeconds = 15;
const what = 'the Python driver';

interface Attempt {
  readonly since: number;
  readonly wanted: number;
  readonly written: { readonly c: Buffer[]; readonly o: Buffer[]; readonly e: Buffer[] };
  resolve(report: AttemptReport): void;
  reject(error: Error): void;
}

/**
 * The fork server of gym/drivers/driver.py: a new process for each request, and nothing of a request in the server.
 * @param oneUse the sandbox around it is for one request, and the answer may end it
 */
export function startPythonWorker(plan: ChannelPlan, { oneUse }: { readonly oneUse: boolean }): Worker {
  const process = startProcess(plan);
  const said = keepStart(process.stderr, 4096);
  process.stdout.resume();
  let usable = true;
  let ready = false;
  let current: Attempt | null = null;

  const fail = (error: Error) => {
    usable = false;
    current?.reject(error);
    current = null;
  };
  const finish = (end: Pick<AttemptReport, 'end' | 'detail' | 'ms'>) => {
    if (oneUse) usable = false;
    if (current === null) return;
    const { written, wanted, resolve } = current;
    const [channel, stdout, stderr] = [written.c, written.o, written.e].map((pieces) =>
      Buffer.concat(pieces).toString(),
    );
    current = null;
    resolve({ ...end, lines: channel!.split('\n').slice(0, -1).slice(0, wanted), stdout: stdout!, stderr: stderr! });
  };
  const lost = () => {
    // In the sandbox of one answer the driver is as mortal as the answer wishes; the sandbox is not.
    if (oneUse && ready && current !== null && process.child.signalCode === null) {
      finish({ end: 'ended', detail: 'killed', ms: performance.now() - current.since });
    } else fail(sandboxFailure(what, process, said.text()));
  };
  process.channel.once('close', () => void process.gone.then(lost));
  void process.gone.then(() => process.channel.destroy());
  readFrames(
    process.channel,
    maxFrameBytes,
    (letter, content) => {
      if (letter === 'y') ready = true;
      else if (letter === 'c' || letter === 'o' || letter === 'e') current?.written[letter].push(content);
      else {
        const report = JSON.parse(content.toString()) as AttemptReport & { readonly broken?: string };
        if (report.broken === undefined) finish(report);
        else fail(new SandboxError(`${what} failed: ${report.broken}`));
      }
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
      try {
        return await new Promise<AttemptReport>((resolve, reject) => {
          const written = { c: [], o: [], e: [] };
          current = { since: performance.now(), wanted: request.calls.length + 1, written, resolve, reject };
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
