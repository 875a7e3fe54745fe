import { didYouMean } from '../../config/index.js';
import type { Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Scored } from '../verdict.js';

/**
 * A named part of a verdict. Parts are weighted: they add up to the score, before caps.
 * @throws GymError where the verdict has no such part; the score never stands in for it
 */
export function componentOf(environment: Environment, verdict: Scored, name: string): number {
  const parts = verdict.rewardComponents;
  if (Object.hasOwn(parts, name)) return parts[name]!;
  const declared = Object.keys(environment.weights);
  if (environment.deepgym === null && declared.includes(name)) {
    // With one part alone it is the score. With several, an answer that could not be loaded has none.
    return declared.length === 1 ? verdict.score : 0;
  }
  // A verifier of the DeepGym kind names its parts only where it came to judge them.
  if (environment.deepgym !== null && Object.keys(parts).length === 0 && verdict.score === 0) return 0;
  throw missing(environment, name, environment.deepgym === null ? declared : Object.keys(parts));
}

/** Every part of a verdict, weighted. One that has no parts has the part `score`. */
export function componentsOf(verdict: Scored): Readonly<Record<string, number>> {
  return Object.keys(verdict.rewardComponents).length > 0 ? verdict.rewardComponents : { score: verdict.score };
}

/** @throws GymError where no verdict of the environment can have the part */
export function checkComponent(environment: Environment, name: string): void {
  const declared = Object.keys(environment.weights);
  if (environment.deepgym === null && !declared.includes(name)) throw missing(environment, name, declared);
}

function missing({ name: environment }: Environment, name: string, known: readonly string[]): GymError {
  return new GymError(
    `the verdicts of ${environment} have no reward component ${name}; they have ${known.join(', ') || 'none'}${didYouMean(name, known)}`,
  );
}
