import { nearest } from '../text/index.js';
import type { Environment } from './environment/types.js';
import { GymError } from './gym-error.js';
import { type Language, languages } from './language.js';
import { SandboxError } from './sandbox/types.js';
import type { NoVerdict, NoVerdictCause, Scored, Verdict } from './verdict.js';
import { VerifierError } from './verify/verifier-error.js';

export interface JudgeOptions {
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

/** The language an answer is in. @throws GymError when the environment does not take it */
export function languageOf(environment: Environment, wanted: string | undefined): Language {
  const [first] = environment.languages;
  // A document's language is looked at by nobody.
  if (wanted === undefined) return first ?? 'python';
  if (first === undefined) throw new GymError(`${environment.name} takes answers in no programming language`);
  const found = environment.languages.find((language) => language === wanted);
  if (found !== undefined) return found;
  const known = (languages as readonly string[]).includes(wanted);
  const meant = known ? null : nearest(wanted, environment.languages);
  throw new GymError(
    `${environment.name} takes no answers in ${wanted}.${meant === null ? '' : ` Did you mean ${meant}?`} It takes ${environment.languages.join(', ')}.`,
  );
}
