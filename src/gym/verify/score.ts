import { shorten } from '../../text/index.js';
import type { Environment } from '../environment/types.js';
import type { CaseResult, Scored } from '../verdict.js';
import { VerifierError } from './verifier-error.js';

/** Longer answers are scored 0 without being run. */
const maxAnswerLength = 500_000;

/** A text of a case, short enough for reading. */
export const brief = (text: string): string => shorten(text, 500);

/** What an answer wrote. */
export const keptOutput = (text: string): string => shorten(text, 4000);

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
  /** Whether the checker judged nothing, because the output broke it. */
  readonly checkerFailed?: boolean | undefined;
}

interface Summed {
  /** In [0, 1]: the weighted mean of the cases' scores. 0 without cases. */
  readonly correctness: number;
  readonly cases: readonly CaseResult[];
  readonly metrics: Readonly<Record<string, number>>;
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
  const checkerFailures = weighed.filter(({ checkerFailed }) => checkerFailed === true).length;
  return {
    correctness: total > 0 ? cleanScore(earned / total) : 0,
    cases,
    metrics: checkerFailures > 0 ? { checkerFailures } : {},
  };
}

interface ScoreParts {
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
export function scored(environment: Environment, judgement: ScoreParts): Scored {
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
    stdout: keptOutput(judgement.stdout ?? ''),
    stderr: keptOutput(judgement.stderr ?? ''),
    ms: performance.now() - judgement.since,
  };
}

/** Score 0 for an answer of which nothing could be run. */
export const worthless = (environment: Environment, problem: string, since: number): Scored =>
  scored(environment, { correctness: 0, problem, since });

/** What makes an answer too long to be looked at, or null. */
export function tooLong(answer: string): string | null {
  return answer.length <= maxAnswerLength
    ? null
    : `the answer is ${answer.length} characters long; at most ${maxAnswerLength} are looked at`;
}
