import type { Case, CaseSet, Environment, FunctionSignature } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Language } from '../language.js';
import type { CallOutcome, JobResult } from '../runner/types.js';
import type { GymContext } from '../types.js';
import { asDeclared, showValue, type Value } from '../value.js';
import type { CaseResult, Scored } from '../verdict.js';
import type { CheckResult } from './check-result.js';
import { runChecker } from './checker.js';
import { compare } from './compare.js';
import { dropTypes } from './drop-types.js';
import { type ModuleText, moduleText } from './module-text.js';
import { referenceOutputs } from './reference-outputs.js';
import { brief, scored, sumCases, tooLong, type WeighedCase, worthless } from './score.js';
import { brokenRules } from './source-rules.js';

/** Calls the answer's function on every case and judges what it returned, outside the process that ran it. */
export async function verifyFunction(
  context: GymContext,
  environment: Environment,
  cases: CaseSet,
  answer: string,
  language: Language,
  signal?: AbortSignal,
): Promise<Scored> {
  const since = performance.now();
  const { signature, limits } = environment;
  if (signature === null) throw new GymError(`${environment.name} declares no function`);
  if (cases.cases.length === 0) throw new GymError(`${environment.name}: variant ${cases.variant} has no cases`);
  const refused = tooLong(answer);
  if (refused !== null) return worthless(environment, refused, since);
  let module: ModuleText;
  try {
    module =
      language === 'typescript'
        ? { language: 'javascript', source: await dropTypes(answer) }
        : moduleText(answer, language);
  } catch (error) {
    if (error instanceof SyntaxError) return worthless(environment, `SyntaxError: ${error.message}`, since);
    throw error;
  }
  const functionName = signature.names[module.language];
  const job = await context.runner.run(
    { ...module, functionName, calls: cases.cases.map((one) => one.input), limits },
    signal,
  );
  const output = { stdout: job.stdout, stderr: job.stderr, truncated: job.outOfTime, since };
  if (job.kind !== 'ran') {
    return scored(environment, { correctness: 0, problem: loadProblem(job, functionName), ...output });
  }
  const judged = await judgeCalls(
    context,
    environment,
    cases.cases,
    outputs(job, signature, language),
    language,
    signal,
  );
  const { correctness, cases: results, metrics } = sumCases(judged);
  const broken = correctness > 0 ? await brokenRules(context, environment, module, functionName, language, signal) : [];
  return scored(environment, { correctness, cases: results, metrics, brokenRules: broken, ...output });
}

function loadProblem(job: JobResult, functionName: string): string {
  return job.problem ?? (job.kind === 'no-function' ? `there is no function ${functionName}` : 'it did not load');
}

/** The outcomes, with what the language cannot say restored. */
function outputs(
  job: JobResult,
  signature: FunctionSignature,
  language: Language,
): readonly (CallOutcome | undefined)[] {
  if (language === 'python') return job.calls;
  return job.calls.map((outcome) =>
    outcome.kind === 'value' ? { ...outcome, value: asDeclared(outcome.value, signature.returns) } : outcome,
  );
}

/** Judges what a function returned for the cases; one outcome per case. */
async function judgeCalls(
  context: GymContext,
  environment: Environment,
  cases: readonly Case[],
  outcomes: readonly (CallOutcome | undefined)[],
  language: Language,
  signal?: AbortSignal,
): Promise<readonly WeighedCase[]> {
  const checks = await checkAll(context, environment, cases, outcomes, language, signal);
  return cases.map((one, index): WeighedCase => {
    const outcome = outcomes[index];
    const check = checks[index] ?? null;
    const result: CaseResult = {
      id: one.id,
      passed: check?.passed ?? false,
      score: check?.score ?? 0,
      input: brief(one.input.map((argument) => showValue(argument, language)).join(', ')),
      expected: one.expected === undefined ? '' : showValue(one.expected, language),
      actual: outcome?.kind === 'value' ? showValue(outcome.value, language) : '',
      error:
        check === null ? brief(failure(outcome, environment)) : check.passed ? null : brief(check.message ?? 'wrong'),
      ms: outcome?.ms ?? 0,
    };
    return { result, weight: one.weight, group: one.group, checkerFailed: check?.checkerFailed };
  });
}

function failure(outcome: CallOutcome | undefined, { limits }: Environment): string {
  switch (outcome?.kind) {
    case 'error':
      return outcome.message === '' ? outcome.type : `${outcome.type}: ${outcome.message}`;
    case 'crash':
      return `crashed: ${outcome.message}`;
    case 'timeout':
      return outcome.ms < limits.caseSeconds * 900
        ? `the ${limits.totalSeconds} s for all cases ran out`
        : `no answer within ${limits.caseSeconds} s`;
    default:
      return 'no answer';
  }
}

/** null for a case that ended without a value. */
async function checkAll(
  context: GymContext,
  environment: Environment,
  cases: readonly Case[],
  outcomes: readonly (CallOutcome | undefined)[],
  language: Language,
  signal?: AbortSignal,
): Promise<readonly (CheckResult | null)[]> {
  const { checker } = environment;
  if (checker.kind !== 'script') {
    return cases.map((one, index) => {
      if (one.expected === undefined) {
        throw new GymError(`${environment.name}: case ${one.id} has no expected value for the checker ${checker.kind}`);
      }
      const outcome = outcomes[index];
      if (outcome?.kind !== 'value') return null;
      const message = compare(checker, outcome.value, one.expected, language);
      return { score: message === null ? 1 : 0, passed: message === null, message };
    });
  }
  const returned = outcomes.flatMap((outcome, index) =>
    outcome?.kind === 'value' ? [{ index, value: outcome.value }] : [],
  );
  const reference = environment.references[0] ?? null;
  const results = await runChecker(
    context,
    environment,
    returned.map(({ index, value }) => {
      const one = cases[index]!;
      return { input: one.input as Value, output: value, expected: one.expected ?? null };
    }),
    {
      reference:
        reference &&
        ((positions) =>
          referenceOutputs(
            context,
            environment,
            reference,
            positions.map((at) => cases[returned[at]!.index]!),
            signal,
          )),
      signal,
    },
  );
  const byCase = new Map(returned.map(({ index }, position) => [index, results[position]!]));
  return cases.map((_, index) => byCase.get(index) ?? null);
}
