import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { CallJob, CallOutcome, JobLimits, JobResult, ProgramLanguage } from '../../../src/gym/runner/types.js';
import type { Value } from '../../../src/gym/value.js';

export const limits: JobLimits = { caseSeconds: 5, totalSeconds: 30, memoryMb: 256, processes: 16, outputKb: 16 };

/** A call limit for programs that are meant to run into it. */
export const short = { caseSeconds: 0.4, totalSeconds: 20 };

export function job(
  language: ProgramLanguage,
  source: string,
  calls: readonly (readonly Value[])[],
  changed: Partial<JobLimits> = {},
): CallJob {
  return { language, source, functionName: 'f', calls, limits: { ...limits, ...changed } };
}

/** Outcomes in short: the value, or `error Type: message`, `timeout`, `crash message`. */
export function outcomes(result: JobResult): unknown[] {
  return result.calls.map(inShort);
}

function inShort(call: CallOutcome): unknown {
  switch (call.kind) {
    case 'value':
      return call.value;
    case 'error':
      return `error ${call.type}: ${call.message}`;
    case 'timeout':
      return 'timeout';
    case 'crash':
      return `crash ${call.message}`;
  }
}

/** Command lines of processes that hold a text. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return line.includes(text) ? [line] : [];
      } catch {
        return [];
      }
    });
}

/** Processes below this one, whether they are waited for or not. */
export function ownProcesses(): string[] {
  const below = (pid: string): string[] => {
    try {
      const tasks = readdirSync(`/proc/${pid}/task`);
      const children = tasks
        .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
        .filter(Boolean);
      return [...children, ...children.flatMap(below)];
    } catch {
      return [];
    }
  };
  return below(String(process.pid));
}

/** From here on temporary files go to a directory of this test file's own; gives a function that lists what lies there. */
export function watchTemporaryFiles(): () => string[] {
  const directory = mkdtempSync(join(tmpdir(), 'anneal-test-'));
  process.env.TMPDIR = directory;
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return () => readdirSync(directory).filter((name) => name.startsWith('anneal-answer-'));
}
