import { shorten } from '../../text/index.js';
import { isRecord } from '../is-record.js';
import type { CaseResult } from '../verdict.js';
import { brief } from './score.js';
import { VerifierError } from './verifier-error.js';

/** A verifier's result, by DeepGym's JSON schema. */
export interface DeepGymResult {
  readonly score: number;
  readonly passed: boolean;
  readonly details: string | null;
  readonly rewardComponents: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number>>;
  readonly truncated: boolean;
  readonly cases: readonly CaseResult[];
}

/** The last line of a program's output that is a JSON object, or null when there is none. @throws VerifierError when it does not parse */
export function lastObject(stdout: string): unknown {
  const line = stdout
    .split('\n')
    .map((text) => text.trim())
    .findLast((text) => text.startsWith('{') && text.endsWith('}'));
  if (line === undefined) return null;
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new VerifierError(`it printed no JSON: ${shorten(line, 200)}`, { cause: error });
  }
}

/** @throws VerifierError naming what is missing or wrong */
export function readResult(json: unknown): DeepGymResult {
  const fields = mapping(json, 'result');
  const { score, passed, details } = fields;
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    throw new VerifierError(`its result has the score ${show(score)}; wanted is a number in [0, 1]`);
  }
  if (typeof passed !== 'boolean') throw new VerifierError(`its result has passed: ${show(passed)}; wanted is a bool`);
  return {
    score,
    passed,
    details: details === undefined || details === null ? null : String(details),
    rewardComponents: numbers(fields.reward_components),
    metrics: { ...numbers(fields.metrics), ...(typeof fields.seed === 'number' ? { seed: fields.seed } : {}) },
    truncated: fields.truncated === true,
    cases: Array.isArray(fields.cases) ? fields.cases.map(readCase) : [],
  };
}

function readCase(json: unknown, index: number): CaseResult {
  const fields = mapping(json, `case ${index}`);
  if (typeof fields.passed !== 'boolean') throw new VerifierError(`case ${index} of its result has no passed`);
  const score = fields.score ?? (fields.passed ? 1 : 0);
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) {
    throw new VerifierError(`case ${index} of its result has the score ${show(score)}`);
  }
  const text = (value: unknown) => (value === undefined || value === null ? '' : brief(String(value)));
  return {
    id: typeof fields.id === 'string' && fields.id !== '' ? fields.id : `case_${index}`,
    passed: fields.passed,
    score,
    input: text(fields.input_summary),
    expected: text(fields.expected_summary),
    actual: text(fields.actual_summary),
    error: fields.error === undefined || fields.error === null ? null : text(fields.error),
    ms: typeof fields.execution_time_ms === 'number' ? fields.execution_time_ms : 0,
  };
}

function mapping(json: unknown, what: string): Record<string, unknown> {
  if (isRecord(json)) return json;
  throw new VerifierError(`its ${what} is ${show(json)}; wanted is an object`);
}

const show = (json: unknown): string => shorten(JSON.stringify(json) ?? 'missing', 100);

/** What of a mapping are numbers; the rest says nothing to a trainer. */
function numbers(json: unknown): Record<string, number> {
  if (typeof json !== 'object' || json === null) return {};
  return Object.fromEntries(
    Object.entries(json).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
