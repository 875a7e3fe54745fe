import { SandboxError } from '../sandbox/types.js';
import type { Attempt } from './attempt.js';
import { readReport } from './report.js';
import type { CallJob, CallOutcome, JobResult } from './types.js';

/** Makes the calls of a job. After a call that hung or ended its process the others are made in a new process, while there is time. */
export async function runJob(job: CallJob, attempt: Attempt, signal?: AbortSignal): Promise<JobResult> {
  const texts = job.calls.map((call) => JSON.stringify(call));
  const kept = job.limits.outputKb * 1024;
  const calls: CallOutcome[] = [];
  let stdout = '';
  let stderr = '';
  let ms = 0;
  const result = (kind: JobResult['kind'], problem: string | null, outOfTime: boolean): JobResult => ({
    kind,
    calls: kind === 'ran' ? calls : [],
    problem,
    outOfTime,
    stdout,
    stderr,
    ms,
  });
  for (let first = true; first || calls.length < texts.length; first = false) {
    signal?.throwIfAborted();
    const secondsLeft = job.limits.totalSeconds - ms / 1000;
    if (!first && secondsLeft <= 0.001) return result('ran', null, outOfTime(calls, texts.length));
    const report = await attempt(
      {
        language: job.language,
        source: job.source,
        functionName: job.functionName,
        calls: texts.slice(calls.length),
        limits: { ...job.limits, totalSeconds: secondsLeft },
      },
      signal,
    );
    stdout = (stdout + report.stdout).slice(0, kept);
    stderr = (stderr + report.stderr).slice(0, kept);
    ms += report.ms;
    const read = readReport(report, texts.length - calls.length, job.limits);
    if (read.kind !== 'ran' && first) return result(read.kind, read.problem, report.end === 'total-time');
    if (read.kind !== 'ran') {
      // It loaded before. To go on trying would take one more process for each call.
      const message = read.problem ?? 'the function was not there any more';
      while (calls.length < texts.length) calls.push({ kind: 'crash', message, ms: 0 });
      break;
    }
    calls.push(...read.calls);
    if (read.calls.length === 0 && texts.length > 0) throw new SandboxError('an attempt at a call had no outcome');
    if (report.end === 'total-time') return result('ran', null, outOfTime(calls, texts.length));
  }
  return result('ran', null, false);
}

/** Whether there are calls left, which then get their outcome. */
function outOfTime(calls: CallOutcome[], wanted: number): boolean {
  while (calls.length < wanted) calls.push({ kind: 'timeout', ms: 0 });
  return true;
}
