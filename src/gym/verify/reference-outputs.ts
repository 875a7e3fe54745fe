import { functionName } from '../environment/signature.js';
import type { Case, Environment, SourceFile } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { GymContext } from '../types.js';
import { asDeclared, type Value } from '../value.js';
import { trustedCall } from './trusted-call.js';

/**
 * What a function environment's reference returns for cases, with what its language cannot say restored.
 * @throws VerifierError where it fails; SandboxError
 */
export async function referenceOutputs(
  context: GymContext,
  environment: Environment,
  reference: SourceFile,
  cases: readonly Case[],
  signal?: AbortSignal,
): Promise<readonly Value[]> {
  const { signature, name } = environment;
  if (signature === null) throw new GymError(`${name} declares no function`);
  const outputs = await trustedCall(
    context,
    environment,
    reference,
    functionName(signature, reference.language),
    cases.map((one) => one.input),
    { describeCall: (index) => `on the case ${cases[index]!.id}`, signal },
  );
  return reference.language === 'python' ? outputs : outputs.map((value) => asDeclared(value, signature.returns));
}
