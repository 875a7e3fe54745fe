import { shorten } from '../../text/index.js';
import { isValue } from '../value.js';
import type { AttemptReport } from './attempt.js';
import { isReadable } from './json-size.js';
import type { CallOutcome, JobLimits } from './types.js';

type Read =
  | { readonly kind: 'ran'; readonly calls: readonly CallOutcome[] }
  | { readonly kind: 'load-failed'; readonly problem: string }
  | { readonly kind: 'no-function'; readonly problem: null };

const rubbish = 'wrote rubbish to the channel';
const maxMessage = 2000;

/**
 * What an attempt says about its calls: an outcome for each call up to and including the one that ended it. The lines come from the
 * answer's process and may be anything.
 */
export function readReport(report: AttemptReport, wanted: number, limits: JobLimits): Read {
  const [head, ...rest] = report.lines;
  const problem = head === undefined ? whileLoading(report, limits) : loadProblem(head);
  if (problem === 'absent') return { kind: 'no-function', problem: null };
  if (problem !== null) return { kind: 'load-failed', problem };
  const calls: CallOutcome[] = [];
  for (const line of rest.slice(0, wanted)) {
    if (line === '["again"]' && calls.length > 0) return { kind: 'ran', calls };
    const outcome = readOutcome(line, report.ms);
    calls.push(outcome ?? { kind: 'crash', message: rubbish, ms: 0 });
    if (outcome === null) return { kind: 'ran', calls };
  }
  if (calls.length < wanted) calls.push(lastOutcome(report, limits));
  return { kind: 'ran', calls };
}

/** null when it loaded. */
function loadProblem(line: string): string | null {
  const said = parse(line);
  if (!Array.isArray(said)) return rubbish;
  const [what, type, message] = said as unknown[];
  if (what === 'ready') return null;
  if (what === 'absent') return 'absent';
  return what === 'load' && typeof type === 'string' && typeof message === 'string'
    ? shorten(message === '' ? type : `${type}: ${message}`, maxMessage)
    : rubbish;
}

function whileLoading({ end, detail }: AttemptReport, { caseSeconds, memoryMb }: JobLimits): string {
  switch (end) {
    case 'time':
      return `importing it took longer than ${loadSeconds(caseSeconds)} s`;
    case 'total-time':
      return 'importing it took all the time there was';
    case 'memory':
      return `importing it took more than ${memoryMb} MB of memory`;
    case 'flood':
    case 'done':
      return rubbish;
    case 'ended':
      return `importing it ended the process (${detail})`;
  }
}

/** Loading may take as long as a call, and two seconds at least. The drivers know this, too. */
function loadSeconds(caseSeconds: number): number {
  return Math.max(caseSeconds, 2);
}

function lastOutcome({ end, detail, ms }: AttemptReport, { caseSeconds }: JobLimits): CallOutcome {
  switch (end) {
    case 'time':
      return { kind: 'timeout', ms: caseSeconds * 1000 };
    case 'total-time':
      return { kind: 'timeout', ms: Math.min(ms, caseSeconds * 1000) };
    case 'memory':
      return { kind: 'crash', message: 'memory limit', ms: 0 };
    case 'flood':
      return { kind: 'crash', message: 'wrote too much to the channel', ms: 0 };
    case 'done':
    case 'ended':
      return { kind: 'crash', message: detail === '' ? rubbish : detail, ms: 0 };
  }
}

function readOutcome(line: string, most: number): CallOutcome | null {
  const said = parse(line);
  if (!Array.isArray(said)) return null;
  if (said[0] === 'v' && said.length === 3) {
    const [, value, ms] = said as unknown[];
    return isValue(value) ? { kind: 'value', value, ms: duration(ms, most) } : null;
  }
  const [what, type, message, ms] = said as unknown[];
  if (what !== 'e' || typeof type !== 'string' || typeof message !== 'string') return null;
  return {
    kind: 'error',
    type: shorten(type, maxMessage),
    message: shorten(message, maxMessage),
    ms: duration(ms, most),
  };
}

/** The answer's own measurement, within what is possible. */
function duration(claimed: unknown, most: number): number {
  return typeof claimed === 'number' && claimed >= 0 ? Math.min(claimed, most) : 0;
}

function parse(line: string): unknown {
  if (!isReadable(line)) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
