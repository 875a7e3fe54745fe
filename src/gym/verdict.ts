/** What one case of an environment said about an answer. */
export interface CaseResult {
  readonly id: string;
  readonly passed: boolean;
  /** In [0, 1]. */
  readonly score: number;
  /** Shortened for reading, at most 500 characters each. */
  readonly input: string;
  readonly expected: string;
  readonly actual: string;
  /** Why it did not pass: `ValueError: …`, `no answer within 2 s`, `wrong type: tuple for list`. */
  readonly error: string | null;
  readonly ms: number;
}

/** The verifier judged the answer. An answer that crashes, hangs or is wrong has score 0 and is judged as well. */
export interface Scored {
  readonly kind: 'scored';
  /** In [0, 1], never NaN. */
  readonly score: number;
  readonly passed: boolean;
  readonly cases: readonly CaseResult[];
  /** Weighted parts that sum up to `score` before caps: `{correctness: 0.7, rules: 0.3}`. Empty where there is one part only. */
  readonly rewardComponents: Readonly<Record<string, number>>;
  readonly metrics: Readonly<Record<string, number>>;
  /** Whether the total time or an output limit cut the verification short; the cases left count as not passed. */
  readonly truncated: boolean;
  /** One line for a person: `25 of 25 cases`, `SyntaxError: invalid syntax (line 3)`. */
  readonly details: string;
  /** What the answer wrote, shortened. */
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

/**
 * - `sandbox`: it could not be started, or died, or the machine is out of space.
 * - `verifier`: a checker, generator or reference of the environment failed.
 * - `environment`: it cannot be used as it stands (unknown variant, no such language).
 * - `timeout`: a remote sandbox did not answer; never the answer's own slowness.
 * - `aborted`: the caller's signal.
 */
export type NoVerdictCause = 'sandbox' | 'verifier' | 'environment' | 'timeout' | 'aborted';

/** Nobody judged the answer: not a 0, but nothing. */
export interface NoVerdict {
  readonly kind: 'noVerdict';
  readonly cause: NoVerdictCause;
  readonly message: string;
  /** Attempts after the first. */
  readonly retries: number;
  readonly ms: number;
}

export type Verdict = Scored | NoVerdict;
