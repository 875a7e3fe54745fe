import type { CaseSet, Environment, SourceFile } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Language } from '../language.js';
import type { GymContext } from '../types.js';
import { showValue, toValue } from '../value.js';
import type { CaseResult, Scored } from '../verdict.js';
import { runChecker } from './checker.js';
import { moduleText } from './module-text.js';
import { withParts } from './parts.js';
import { scored, shorten, sumCases, tooLong, type WeighedCase, worthless } from './score.js';
import { VerifierError } from './verifier-error.js';

/**
 * Has the checker read the answer, which is never run: it gets `(input, {text}, expected)`.
 * @throws SandboxError, VerifierError, GymError where nobody can judge
 */
export async function verifyDocument(
  context: GymContext,
  environment: Environment,
  cases: CaseSet,
  answer: string,
  _language: Language,
  signal?: AbortSignal,
): Promise<Scored> {
  const since = performance.now();
  if (cases.cases.length === 0) throw new GymError(`${environment.name}: variant ${cases.variant} has no cases`);
  const refused = tooLong(answer);
  if (refused !== null) return worthless(environment, refused, since);
  const output = toValue({ text: answer });
  const checks = await runChecker(
    context,
    environment,
    cases.cases.map((one) => ({ input: one.input[0] ?? null, output, expected: one.expected ?? null })),
    signal,
  );
  const weighed = cases.cases.map((one, index): WeighedCase => {
    const { passed, score, message } = checks[index]!;
    const result: CaseResult = {
      id: one.id,
      passed,
      score,
      // The input is what the task's text shows; nobody needs it twice.
      input: '',
      expected: one.expected === undefined ? '' : showValue(one.expected),
      actual: shorten(answer),
      error: passed ? null : shorten(message ?? 'wrong'),
      ms: 0,
    };
    return { result, weight: one.weight, group: one.group };
  });
  const { correctness, cases: results } = sumCases(weighed);
  return scored(environment, {
    correctness,
    cases: results.flatMap((result, index) => withParts(result, checks[index])),
    since,
  });
}

const referenceLimits = { caseSeconds: 10, totalSeconds: 20, memoryMb: 512, processes: 16, outputKb: 64 };

/**
 * The reference answer to a document environment's case set. A reference that is a text is that answer; a program's function
 * `answer(input)` writes it, since every variant asks about other data.
 * @throws VerifierError when the program fails; SandboxError
 */
export async function documentReference(
  context: GymContext,
  environment: Environment,
  cases: CaseSet,
  reference: SourceFile,
  signal?: AbortSignal,
): Promise<string> {
  if (/\.(md|txt|json)$/.test(reference.path)) return reference.text;
  const where = `${environment.name}/${reference.path}`;
  const input = cases.cases[0]?.input;
  if (input === undefined) throw new GymError(`${environment.name}: variant ${cases.variant} has no cases`);
  const job = await context.runner.run(
    {
      ...moduleText(reference.text, reference.language),
      functionName: 'answer',
      calls: [input],
      limits: referenceLimits,
      trusted: true,
    },
    signal,
  );
  const outcome = job.calls[0];
  if (outcome?.kind === 'value' && typeof outcome.value === 'string') return outcome.value;
  const problem =
    outcome === undefined
      ? (job.problem ?? 'it has no function answer')
      : outcome.kind === 'value'
        ? `answer returned ${showValue(outcome.value)}; wanted is a text`
        : `answer: ${'message' in outcome ? outcome.message : 'no end in time'}`;
  throw new VerifierError(`${where}: ${problem}`);
}
