import { readFile } from 'node:fs/promises';
import { gymAsset } from '../assets.js';
import { createLimiter } from '../limiter.js';
import { type ExecResult, type Sandbox, SandboxError, type SandboxProvider } from '../sandbox/types.js';
import { type AttemptReport, type AttemptRequest, attemptEnds } from './attempt.js';
import { runJob } from './run-job.js';
import type { CallJob, ProgramLanguage, Runner } from './types.js';
import { jobOf } from './worker.js';

/** Beyond the job's own time: to start the interpreter, and for the way there and back. */
const graceSeconds = 30;
const reportFile = 'report.json';

const driverFiles: Record<ProgramLanguage, readonly string[]> = {
  python: ['driver.py'],
  javascript: ['driver.mjs', 'attempt.mjs'],
};

const commands: Record<ProgramLanguage, readonly string[]> = {
  python: ['python3', '-I', '-S', 'driver.py', 'once', 'job.json', reportFile],
  javascript: ['node', 'driver.mjs', 'once', 'job.json', reportFile],
};

/** Runs each job in a sandbox of its own, somewhere else: for sandboxes that can do no more than run a command. */
export function openSandboxRunner(sandboxes: SandboxProvider, workers: number): Runner {
  const limited = createLimiter(workers);
  const running = new Set<Promise<unknown>>();
  const closing = new AbortController();

  const run = async (job: CallJob, signal: AbortSignal) => {
    const { language, limits } = job;
    const seconds = limits.totalSeconds + graceSeconds;
    const files = Object.fromEntries(
      await Promise.all(
        driverFiles[language].map(async (name) => [name, await readFile(gymAsset(`drivers/${name}`))] as const),
      ),
    );
    const sandbox = await sandboxes.create({
      limits: { ...limits, seconds, processes: limits.processes + 16, outputKb: 64, diskMb: 256 },
      files,
      signal,
    });
    try {
      return await runJob(job, (request) => attemptIn(sandbox, request, seconds, signal), signal);
    } finally {
      await sandbox.dispose();
    }
  };

  return Object.freeze<Runner>({
    workers,
    run: (job, signal) => {
      const both = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
      const ended = limited(() => run(job, both), both).finally(() => running.delete(ended));
      running.add(ended);
      return ended;
    },
    capabilities: () => sandboxes.capabilities(),
    async dispose() {
      closing.abort(new SandboxError('the runner was disposed of', { retryable: false }));
      await Promise.allSettled(running);
    },
  });
}

async function attemptIn(
  sandbox: Sandbox,
  request: AttemptRequest,
  seconds: number,
  signal: AbortSignal,
): Promise<AttemptReport> {
  await sandbox.writeFile('job.json', JSON.stringify(jobOf(request)));
  const result = await sandbox.exec(commands[request.language], { seconds, signal });
  const bytes = await sandbox.readFile(reportFile);
  if (bytes === null) throw noReport(request.language, result);
  return readReportFile(bytes);
}

function noReport(language: ProgramLanguage, { exitCode, killedBy, stderr }: ExecResult): SandboxError {
  const program = commands[language][0];
  if (exitCode === 127) return new SandboxError(`the sandbox has no ${program}`, { reason: 'unavailable' });
  const how = killedBy === null ? `exit code ${exitCode}` : `its ${killedBy} limit`;
  return new SandboxError(`the ${language} driver left no report (${how}): ${stderr.trim().slice(-500)}`);
}

/** The driver writes it when the answer's process is gone, but what an answer left behind could still have put something there. */
function readReportFile(bytes: Uint8Array): AttemptReport {
  const rubbish: AttemptReport = {
    lines: [],
    end: 'ended',
    detail: 'wrote into the report',
    stdout: '',
    stderr: '',
    ms: 0,
  };
  let report: Partial<AttemptReport> & { broken?: unknown };
  try {
    report = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return rubbish;
  }
  if (typeof report?.broken === 'string') throw new SandboxError(`the driver failed: ${report.broken.slice(0, 500)}`);
  const { lines, end, detail, stdout, stderr, ms } = report ?? {};
  const isWhole =
    Array.isArray(lines) &&
    lines.every((line) => typeof line === 'string') &&
    attemptEnds.includes(end as never) &&
    [detail, stdout, stderr].every((text) => typeof text === 'string') &&
    Number.isFinite(ms) &&
    ms! >= 0;
  return isWhole ? (report as AttemptReport) : rubbish;
}
