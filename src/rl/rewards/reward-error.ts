/** A reward that cannot be used as it stands. The message is for whoever wrote it: the command line shows it without a stack. */
export class RewardError extends Error {
  override readonly name = 'RewardError';
  readonly expected = true;
}
