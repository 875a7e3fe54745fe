import type { CaseSet, Environment, SourceFile } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Language } from '../language.js';
import type { GymContext } from '../types.js';
import { showValue, toValue } from '../value.js';
import type { Scored } from '../verdict.js';
import { tooLong, worthless } from './score.js';
import { trustedCall } from './trusted-call.js';
import { VerifierError } from './verifier-error.js';
import { judgeWhole } from './whole.js';

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
  const refused = tooLong(answer);
  if (refused !== null) return worthless(environment, refused, since);
  const source = environment.references[0];
  const reference =
    source && (async () => toValue({ text: await documentReference(context, environment, cases, source) }));
  const output = { value: toValue({ text: answer }), shown: answer, reference: reference ?? null };
  return judgeWhole(context, environment, cases, output, since, signal);
}

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
): Promise<string> {
  if (/\.(md|txt|json)$/.test(reference.path)) return reference.text;
  const input = cases.cases[0]?.input;
  if (input === undefined) throw new GymError(`${environment.name}: variant ${cases.variant} has no cases`);
  const [text] = await trustedCall(context, environment, reference, 'answer', [input]);
  if (typeof text === 'string') return text;
  const returned = showValue(text ?? null);
  throw new VerifierError(`${environment.name}/${reference.path}: answer returned ${returned}; wanted is a text`);
}
