import { functionName } from '../environment/signature.js';
import type { Case, Environment } from '../environment/types.js';
import type { GymContext } from '../types.js';
import { asDeclared } from '../value.js';
import { trustedCall } from './trusted-call.js';

/** The cases with what is expected, where the first reference has to say it. */
export async function withExpected(
  context: GymContext,
  environment: Environment,
  cases: readonly Case[],
): Promise<readonly Case[]> {
  const { signature, checker } = environment;
  const reference = environment.references[0];
  const open = cases.filter((one) => one.expected === undefined);
  if (open.length === 0 || signature === null || checker.kind === 'script' || reference === undefined) return cases;
  const name = functionName(signature, reference.language);
  const outputs = await trustedCall(
    context,
    environment,
    reference,
    name,
    open.map((one) => one.input),
    (index) => `on the case ${open[index]!.id}`,
  );
  const typed =
    reference.language === 'python' ? outputs : outputs.map((value) => asDeclared(value, signature.returns));
  const byCase = new Map(open.map((one, index) => [one, typed[index]!]));
  return cases.map((one) => (byCase.has(one) ? { ...one, expected: byCase.get(one)! } : one));
}
