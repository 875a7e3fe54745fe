import type { Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { GymContext } from '../types.js';
import type { Value } from '../value.js';
import { type CheckResult, readCheck } from './check-result.js';
import { tryTrustedCall } from './trusted-call.js';
import { VerifierError } from './verifier-error.js';

interface CheckCall {
  /** A function's arguments as a list; otherwise the case's dict. */
  readonly input: Value;
  readonly output: Value;
  /** null where the case has none. */
  readonly expected: Value;
}

interface CheckOptions {
  /** What a reference gives in the place of the outputs at these indices; null where there is none to ask. */
  readonly reference: ((indices: readonly number[]) => Promise<readonly Value[]>) | null;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls the environment's checker script, in a process of its own, once per output.
 * Where it fails on an output again and passes the reference's, the output is at fault and worth 0: no answer escapes its score by
 * breaking the checker.
 * @throws VerifierError when it fails or returns what is no judgement, and the output is not shown to be at fault; SandboxError
 */
export async function runChecker(
  context: GymContext,
  environment: Environment,
  calls: readonly CheckCall[],
  { reference, signal }: CheckOptions,
): Promise<readonly CheckResult[]> {
  const results = [...(await check(context, environment, calls, signal))];
  const failed = [...results.keys()].filter((index) => results[index] instanceof VerifierError);
  if (failed.length > 0) {
    const right = await reference?.(failed);
    if (right === undefined) throw results[failed[0]!];
    // The reference's first: outputs that take all the time take none of theirs.
    const again = await check(
      context,
      environment,
      [
        ...failed.map((index, at) => ({ ...calls[index]!, output: right[at]! })),
        ...failed.map((index) => calls[index]!),
      ],
      signal,
    );
    for (const [at, index] of failed.entries()) {
      const proof = again[at]!;
      if (proof instanceof VerifierError || !proof.passed) throw results[index];
      const second = again[failed.length + at]!;
      results[index] = second instanceof VerifierError ? blame(second) : second;
    }
  }
  return results as CheckResult[];
}

const blame = ({ message }: VerifierError): CheckResult => ({
  score: 0,
  passed: false,
  message: `the checker fails on this output and passes the reference's: ${message}`,
  checkerFailed: true,
});

/** A failure in the place of each result that there is none of. @throws VerifierError when the script does not load; SandboxError */
async function check(
  context: GymContext,
  environment: Environment,
  calls: readonly CheckCall[],
  signal: AbortSignal | undefined,
): Promise<readonly (CheckResult | VerifierError)[]> {
  const { name, checker } = environment;
  if (checker.kind !== 'script') throw new GymError(`${name} has no checker script`);
  if (calls.length === 0) return [];
  const { source, functionName } = checker;
  const returned = await tryTrustedCall(
    context,
    environment,
    source,
    functionName,
    calls.map(({ input, output, expected }) => [input, output, expected]),
    { caseSeconds: 10, signal },
  );
  const fail = (what: string): never => {
    throw new VerifierError(`${name}/${source.path}: ${functionName} ${what}`);
  };
  return returned.map((value) => {
    if (value instanceof VerifierError) return value;
    try {
      return readCheck(value, fail);
    } catch (error) {
      if (error instanceof VerifierError) return error;
      throw error;
    }
  });
}
