import type { CaseSet, Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { GymContext } from '../types.js';
import { showValue, type Value } from '../value.js';
import type { CaseResult, Scored } from '../verdict.js';
import { runChecker } from './checker.js';
import { withParts } from './parts.js';
import { brief, scored, sumCases, type WeighedCase } from './score.js';

interface WholeOutput {
  readonly value: Value;
  readonly shown: string;
  /** What a reference gives in its place; null where there is none to ask. */
  readonly reference: (() => Promise<Value>) | null;
}

/**
 * Has the environment's checker judge one output that was made without calls: a text, or a work directory. Almost always there is one case.
 * @throws SandboxError, VerifierError
 */
export async function judgeWhole(
  context: GymContext,
  environment: Environment,
  cases: CaseSet,
  output: WholeOutput,
  since: number,
  signal?: AbortSignal,
): Promise<Scored> {
  if (cases.cases.length === 0) throw new GymError(`${environment.name}: variant ${cases.variant} has no cases`);
  const { reference } = output;
  const checks = await runChecker(
    context,
    environment,
    cases.cases.map((one) => ({ input: one.input[0] ?? null, output: output.value, expected: one.expected ?? null })),
    { reference: reference && (async (indices) => Array(indices.length).fill(await reference())), signal },
  );
  const weighed = cases.cases.map((one, index): WeighedCase => {
    const { passed, score, message, checkerFailed } = checks[index]!;
    const result: CaseResult = {
      id: one.id,
      passed,
      score,
      // What the case is about stands in the task's text; nobody needs it twice.
      input: '',
      expected: one.expected === undefined ? '' : showValue(one.expected),
      actual: brief(output.shown),
      error: passed ? null : brief(message ?? 'wrong'),
      ms: 0,
    };
    return { result, weight: one.weight, group: one.group, checkerFailed };
  });
  const { correctness, cases: results, metrics } = sumCases(weighed);
  return scored(environment, {
    correctness,
    cases: results.flatMap((result, index) => withParts(result, checks[index])),
    metrics,
    since,
  });
}
