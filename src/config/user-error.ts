/**
 * An error whose message is all that its reader needs: what was wrong, where, and what to do.
 * `expected` marks it as no bug of anneal's, so the command line shows the message without a stack.
 */
export class UserError extends Error {
  readonly expected = true;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UserError';
  }
}
