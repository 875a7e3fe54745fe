import { SandboxError } from '../sandbox/types.js';
import type { AttemptReport, AttemptRequest } from './attempt.js';
import { type ChannelPlan, keepStart, sandboxFailure, startProcess } from './channel-process.js';
import { readFrames, writeFrame } from './frames.js';

/** A process that serves one request at a time. */
export interface Worker {
  /** @throws SandboxError when the worker failed; it is of no use then */
  attempt(request: AttemptRequest, signal?: AbortSignal): Promise<AttemptReport>;
  /** Whether it can take another request. */
  readonly usable: boolean;
  dispose(): Promise<void>;
}

/** The driver's limit for an answer's channel, three times over for escapes, and its output. */
const maxFrameBytes = 3 * 2 ** 25 + 2 ** 24;
/** What the driver may take beyond the time that it keeps itself, before it is taken for dead. */
const graceSeconds = 15;

/**
 * The fork server of gym/drivers/driver.py: a new process for each request, the server itself untouched by any.
 * @param oneUse the sandbox around it is for one request
 */
export function startPythonWorker(plan: ChannelPlan, options: { readonly oneUse: boolean }): Worker {
  const process = startProcess(plan);
  const said = keepStart(process.stderr, 4096);
  process.stdout.resume();
  let usable = true;
  let waiting: { resolve(report: AttemptReport): void; reject(error: Error): void } | null = null;
  const fail = (error: Error) => {
    usable = false;
    waiting?.reject(error);
    waiting = null;
  };
  const lost = () => fail(sandboxFailure('the Python driver', process, said()));
  process.channel.once('close', () => void process.gone.then(lost));
  void process.gone.then(() => process.channel.destroy());
  readFrames(
    process.channel,
    maxFrameBytes,
    (message) => {
      const report = message as AttemptReport & { readonly broken?: string };
      if (report.broken !== undefined) return fail(new SandboxError(`the Python driver failed: ${report.broken}`));
      if (options.oneUse) usable = false;
      waiting?.resolve(report);
      waiting = null;
    },
    (problem) => fail(new SandboxError(`the Python driver sent ${problem}`)),
  );

  return {
    get usable() {
      return usable;
    },
    async attempt(request, signal) {
      if (!usable) throw sandboxFailure('the Python driver', process, said());
      signal?.throwIfAborted();
      const abort = () => fail(signal?.reason as Error);
      const seconds = request.limits.totalSeconds + graceSeconds;
      // Also what keeps this process alive while it waits.
      const timer = setTimeout(
        () => fail(new SandboxError(`the Python driver did not answer within ${seconds.toFixed(0)} s`)),
        seconds * 1000,
      );
      signal?.addEventListener('abort', abort, { once: true });
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
      fail(new SandboxError('the runner was disposed', { retryable: false }));
      await process.kill();
    },
  };
}

/** What the drivers understand. */
export function jobOf({ source, functionName, calls, limits }: AttemptRequest): Record<string, unknown> {
  return {
    source,
    function: functionName,
    calls,
    case_seconds: limits.caseSeconds,
    total_seconds: limits.totalSeconds,
    memory_mb: limits.memoryMb,
    processes: limits.processes,
    output_kb: limits.outputKb,
  };
}
