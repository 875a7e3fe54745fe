import type { CaseSet, Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Language } from '../language.js';
import type { GymContext } from '../types.js';
import type { Scored } from '../verdict.js';
import { verifyDeepGym } from './deepgym.js';
import { verifyDocument } from './document.js';
import { verifyFunction } from './function.js';
import { verifyScript } from './script.js';

export { documentReference } from './document.js';
export { VerifierError } from './verifier-error.js';

/**
 * Judges an answer by the cases. Whatever the answer does is a score.
 * @throws VerifierError when the environment's own code failed; SandboxError; GymError when the environment cannot be used so
 */
export async function verify(
  context: GymContext,
  environment: Environment,
  cases: CaseSet,
  answer: string,
  language: Language,
  signal?: AbortSignal,
): Promise<Scored> {
  signal?.throwIfAborted();
  const judgeBy = judgeOf(environment);
  return judgeBy(context, environment, cases, answer, language, signal);
}

function judgeOf(environment: Environment): typeof verify {
  if (environment.deepgym !== null) return verifyDeepGym;
  switch (environment.kind) {
    case 'function':
      return verifyFunction;
    case 'script':
      return verifyScript;
    case 'document':
      return verifyDocument;
    case 'episode':
      // The file as the agent would have left it.
      if (environment.episode?.answerFile != null) return verifyFunction;
      throw new GymError(`${environment.name} is judged step by step: open an episode`);
  }
}
