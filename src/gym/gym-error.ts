import { UserError } from '../config/index.js';

/** An error whose message is for the person who runs or writes an environment: what is wrong, where, and what to do. */
export class GymError extends UserError {
  override readonly name: string = 'GymError';
}
