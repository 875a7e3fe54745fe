import type { Environment, SourceFile } from '../environment/types.js';
import type { JobLimits } from '../runner/types.js';
import type { GymContext } from '../types.js';
import type { Value } from '../value.js';
import { moduleText } from './module-text.js';
import { VerifierError } from './verifier-error.js';

/** Enough for any generator, reference or checker; a bug that hangs ends all the same. */
const enough: JobLimits = { caseSeconds: 20, totalSeconds: 120, memoryMb: 1024, processes: 64, outputKb: 64 };

interface TrustedCallOptions {
  /** Of each call. Default 20. */
  readonly caseSeconds?: number;
  /** What a call was about, for the message of its failure: `on the case 3`. */
  readonly describeCall?: (index: number) => string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls a function of an environment's own file, in a process of its own, and gives what it returned for each call.
 * @throws VerifierError naming the environment and the file when it does anything but return; SandboxError
 */
export async function trustedCall(
  context: GymContext,
  environment: Environment,
  source: SourceFile,
  functionName: string,
  calls: readonly (readonly Value[])[],
  options: TrustedCallOptions = {},
): Promise<readonly Value[]> {
  const outcomes = await tryTrustedCall(context, environment, source, functionName, calls, options);
  return outcomes.map((outcome) => {
    if (outcome instanceof VerifierError) throw outcome;
    return outcome;
  });
}

/**
 * The same, with the failure in the place of what a call did not return.
 * @throws VerifierError when the file does not load; SandboxError
 */
export async function tryTrustedCall(
  context: GymContext,
  environment: Environment,
  source: SourceFile,
  functionName: string,
  calls: readonly (readonly Value[])[],
  { caseSeconds = enough.caseSeconds, describeCall, signal }: TrustedCallOptions = {},
): Promise<readonly (Value | VerifierError)[]> {
  const where = `${environment.name}/${source.path}`;
  const limits = { ...enough, caseSeconds };
  const job = await context.runner.run(
    { ...trustedModule(source, where), functionName, calls, limits, trusted: true },
    signal,
  );
  if (job.kind === 'load-failed') throw new VerifierError(`${where}: ${job.problem ?? 'it did not load'}`);
  if (job.kind === 'no-function') throw new VerifierError(`${where}: it has no function ${functionName}`);
  return calls.map((_, index) => {
    const outcome = job.calls[index];
    if (outcome?.kind === 'value') return outcome.value;
    const what =
      outcome?.kind === 'error'
        ? `raised ${outcome.type}: ${outcome.message}`
        : outcome?.kind === 'crash'
          ? `crashed: ${outcome.message}`
          : `gave no answer within ${caseSeconds} s`;
    const about = describeCall === undefined ? '' : ` ${describeCall(index)}`;
    return new VerifierError(`${where}: ${functionName} ${what}${about}`);
  });
}

function trustedModule({ text, language }: SourceFile, where: string) {
  try {
    return moduleText(text, language);
  } catch (error) {
    throw new VerifierError(`${where}: ${(error as Error).message}`, { cause: error });
  }
}
