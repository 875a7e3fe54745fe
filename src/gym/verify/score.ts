import type { Environment } from '../environment/types.js';
import type { CaseResult, Scored } from '../verdict.js';
import { VerifierError } from './verifier-error.js';

/** Longer answers are scored 0 without being run. */
export const MAX_ANSWER_LENGTH = 500_000;

const MAX_TEXT = 500;
const MAX_OUTPUT = 4000;

export const shorten = (text: string, length = MAX_TEXT): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text;

/** Into [0, 1], without the noise of adding weights up. @throws VerifierError for NaN */
export function cleanScore(score: number): number {
  if (Number.isNaN(score)) throw new VerifierError('a score is not a number');
  return Math.min(1, Math.max(0, Math.round(score * 1e12) / 1e12));
}

/** A case's result together with what it counts. */
export interface WeighedCase {
  readonly result: CaseResult;
  readonly weight: number;
  readonly group: string | null;
}

export interface Summed {
  /** In [0, 1]: the weighted mean of the cases' scores. 0 without cases. */
  readonly correctness: number;
  readonly cases: readonly CaseResult[];
}

/** Adds cases up. In a group where one case did not pass none has. */
export function sumCases(weighed: readonly WeighedCase[]): Summed {
  const failedIn = new Map<string, string>();
  for (const { result, group } of weighed) {
    if (group !== null && !result.passed && !failedIn.has(group)) failedIn.set(group, result.id);
  }
  const cases = weighed.map(({ result, group }): CaseResult => {
    const failed = group === null ? undefined : failedIn.get(group);
    if (failed === undefined) return result;
    const error = result.error ?? (result.passed ? `counts together with ${failed}, which did not pass` : null);
    return { ...result, passed: false, score: 0, error };
  });
  let total = 0;
  let earned = 0;
  for (const [index, { weight }] of weighed.entries()) {
    total += weight;
    earned += weight * cases[index]!.score;
  }
  return { correctness: total > 0 ? cleanScore(earned / total) : 0, cases };
}

export interface Judgement {
  /** In [0, 1]. */
  readonly correctness: number;
  readonly cases?: readonly CaseResult[];
  /** What the answer's text breaks of the environment's rules. */
  readonly brokenRules?: readonly string[];
  readonly metrics?: Readonly<Record<string, number>>;
  readonly truncated?: boolean;
  /** What to say before the count of cases, or instead of it where there are none. */
  readonly problem?: string | null;
  readonly stdout?: string;
  readonly stderr?: string;
  /** When the verification began, by `performance.now()`. */
  readonly since: number;
}

/**
 * The verdict. Kept rules are worth something only as far as the answer is right, so that a text that merely looks right earns
 * nothing; a broken one caps the score.
 */
export function scored(environment: Environment, judgement: Judgement): Scored {
  const { correctness, cases = [], brokenRules = [], metrics = {}, truncated = false, problem = null } = judgement;
  const rulesWeight = environment.weights.rules ?? 0;
  const correctnessWeight = 1 - rulesWeight;
  const kept = brokenRules.length === 0;
  const parts = { correctness: correctnessWeight * correctness, rules: rulesWeight * (kept ? correctness : 0) };
  const sum = parts.correctness + parts.rules;
  const score = cleanScore(kept ? sum : Math.min(sum, environment.ruleBreakCap));
  const passedCases = cases.filter((result) => result.passed).length;
  const notes = [
    ...(problem === null ? [] : [problem]),
    ...(cases.length === 0 ? [] : [`${passedCases} of ${cases.length} cases`]),
    ...brokenRules,
    ...(truncated ? ['cut short by a limit'] : []),
  ];
  return {
    kind: 'scored',
    score,
    passed: score >= environment.passThreshold,
    cases,
    rewardComponents:
      rulesWeight > 0 ? { correctness: cleanScore(parts.correctness), rules: cleanScore(parts.rules) } : {},
    metrics: {
      ...(cases.length === 0 ? {} : { cases: cases.length, casesPassed: passedCases }),
      ...(brokenRules.length === 0 ? {} : { rulesBroken: brokenRules.length }),
      ...metrics,
    },
    truncated,
    details: shorten(notes.join('; '), 2000),
    stdout: shorten(judgement.stdout ?? '', MAX_OUTPUT),
    stderr: shorten(judgement.stderr ?? '', MAX_OUTPUT),
    ms: performance.now() - judgement.since,
  };
}

/** Score 0 for an answer of which nothing could be run. */
export const worthless = (environment: Environment, problem: string, since: number): Scored =>
  scored(environment, { correctness: 0, problem, since });

/** What makes an answer too long to be looked at, or null. */
export function tooLong(answer: string): string | null {
  return answer.length <= MAX_ANSWER_LENGTH
    ? null
    : `the answer is ${answer.length} characters long; at most ${MAX_ANSWER_LENGTH} are looked at`;
}
