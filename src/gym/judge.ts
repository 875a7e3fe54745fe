import { GymError } from './gym-error.js';
import { SandboxError } from './sandbox/types.js';
import type { NoVerdict, NoVerdictCause, Scored, Verdict } from './verdict.js';
import { VerifierError } from './verify/verifier-error.js';

interface JudgeOptions {
  /** Attempts after the first, when the sandbox or the verifier failed. */
  readonly retries: number;
  readonly signal?: AbortSignal | undefined;
}

/** Makes a verdict of what an attempt gives or throws. Never throws itself. */
export async function judge(attempt: () => Promise<Scored>, options: JudgeOptions): Promise<Verdict> {
  const since = performance.now();
  for (let retries = 0; ; retries++) {
    try {
      options.signal?.throwIfAborted();
      return await attempt();
    } catch (error) {
      const aborted = options.signal?.aborted === true;
      if (!aborted && mayHelp(error) && retries < options.retries) continue;
      return noVerdict(aborted ? 'aborted' : causeOf(error), aborted ? 'aborted' : messageOf(error), retries, since);
    }
  }
}

const mayHelp = (error: unknown): boolean =>
  error instanceof SandboxError ? error.retryable : error instanceof VerifierError;

function causeOf(error: unknown): NoVerdictCause {
  if (error instanceof SandboxError) return error.reason === 'timeout' ? 'timeout' : 'sandbox';
  return error instanceof GymError ? 'environment' : 'verifier';
}

/** With the place of a bug: no training run should end for one, and none should hide. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof SandboxError || error instanceof VerifierError || error instanceof GymError)
    return error.message;
  return error.stack ?? String(error);
}

export function noVerdict(cause: NoVerdictCause, message: string, retries: number, since: number): NoVerdict {
  return { kind: 'noVerdict', cause, message, retries, ms: performance.now() - since };
}
