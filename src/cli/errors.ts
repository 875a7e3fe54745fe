/** Kinds of errors that the language or a failed assertion raises; nobody throws them to tell a user something. */
const MACHINE_ERRORS = new Set([
  'TypeError',
  'RangeError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AssertionError',
]);

/**
 * Whether an error is a message for the user rather than a bug.
 * An error that carries `expected: boolean` says so itself. Otherwise every `Error` that some room threw on purpose is a
 * message; what the language raised by itself (TypeError and its like) and thrown non-errors are bugs.
 * The rule needs no common base class, so rooms that import nothing keep it, and it survives the way out of a worker thread.
 */
export function isExpected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('expected' in error && typeof error.expected === 'boolean') return error.expected;
  return !MACHINE_ERRORS.has(error.name) && !MACHINE_ERRORS.has(error.constructor.name);
}

/** What the command line shows for an error, and the exit code. */
export function describeError(
  error: unknown,
  environment: { readonly ANNEAL_STACK?: string | undefined } = process.env,
): { readonly text: string; readonly exitCode: number } {
  if (error instanceof Error && error.name === 'AbortError') return { text: 'stopped', exitCode: 130 };
  const stack = error instanceof Error ? (error.stack ?? String(error)) : `thrown: ${String(error)}`;
  if (!isExpected(error)) {
    return { text: `${stack}\nThis is a bug in anneal. Please report it with the lines above.`, exitCode: 1 };
  }
  const text = environment.ANNEAL_STACK ? stack : withCauses(error as Error);
  return { text: `error: ${text}`, exitCode: 1 };
}

/** What the command line shows when a promise was rejected that nobody waits for, as a reward function may leave behind. */
export function describeStrayRejection(reason: unknown): string {
  const stack = reason instanceof Error ? (reason.stack ?? String(reason)) : `thrown: ${String(reason)}`;
  return `error: a promise was rejected and nothing waits for it (a missing await in a reward function?): ${stack}`;
}

export const endedEarly =
  'error: ended before the work was done. A reward function called process.exit, or returned a promise that never settles.';

/** The message, and below it those of its causes that it does not quote already. */
function withCauses(error: Error): string {
  const lines = [error.message];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    if (!lines.some((line) => line.includes((cause as Error).message))) lines.push(`  because: ${cause.message}`);
  }
  return lines.join('\n');
}
