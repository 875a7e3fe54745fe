/** The environment's own code (checker, generator, reference, verifier) failed, so nobody judged the answer. */
export class VerifierError extends Error {
  override readonly name = 'VerifierError';
  readonly expected = true;
}
