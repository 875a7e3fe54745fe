import type { CaseResult } from '../verdict.js';
import type { CheckResult } from './check-result.js';
import { brief } from './score.js';

/**
 * A case as the verdict shows it: where the checker looked at several things one entry for each, named `case/check`, so that it can be
 * seen what was missing. What the case counts is its own score, to which the checker may have added fractions and penalties.
 */
export function withParts(
  result: CaseResult,
  check: CheckResult | undefined,
  problem: string | null = null,
): CaseResult[] {
  if (check?.checks === undefined) return [result];
  return check.checks.map(({ id, passed, message }) => ({
    ...result,
    id: `${result.id}/${id}`,
    passed,
    score: passed ? 1 : 0,
    error: passed ? null : brief([problem, message ?? 'wrong'].filter((reason) => reason !== null).join('; ')),
  }));
}
