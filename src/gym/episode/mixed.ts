import type { Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';

export interface WeightedEnvironment {
  readonly environment: Environment;
  /** Relative to the others; default 1. */
  readonly weight?: number;
}

/** Draws environments by their weights. The same seed gives the same draws. */
export interface MixedEnvironments {
  next(): Environment;
  batch(count: number): readonly Environment[];
}

/** @throws GymError without environments, or for a weight that is not above 0 */
export function mixedEnvironments(parts: readonly WeightedEnvironment[], seed = 0): MixedEnvironments {
  const last = parts.at(-1);
  if (last === undefined) throw new GymError('a mixture needs at least one environment');
  const weights = parts.map(({ environment, weight = 1 }) => {
    if (weight > 0 && Number.isFinite(weight)) return weight;
    throw new GymError(`the weight of ${environment.name} is ${weight}; wanted is a number above 0`);
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const random = mulberry32(seed);
  const next = () => {
    let left = random() * total;
    for (const [index, weight] of weights.entries()) {
      left -= weight;
      if (left < 0) return parts[index]!.environment;
    }
    return last.environment;
  };
  return Object.freeze({ next, batch: (count: number) => Array.from({ length: count }, next) });
}

/** Tommy Ettinger's Mulberry32: uniform in [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
