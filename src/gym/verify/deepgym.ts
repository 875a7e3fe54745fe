import type { CaseSet, Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Language } from '../language.js';
import type { GymContext } from '../types.js';
import type { Scored } from '../verdict.js';

export async function verifyDeepGym(
  _context: GymContext,
  environment: Environment,
  _cases: CaseSet,
  _answer: string,
  _language: Language,
  _signal?: AbortSignal,
): Promise<Scored> {
  throw new GymError(`${environment.name}: verifiers of this kind cannot be run yet`);
}
