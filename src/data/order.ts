import { createRandom, shuffled } from '../random/index.js';

/** The order in which an epoch visits `n` examples: a permutation that depends on `n`, `seed` and `epoch` alone. */
export function epochOrder(n: number, seed: number, epoch: number): number[] {
  return shuffled(
    Array.from({ length: n }, (_, index) => index),
    createRandom(seed, epoch),
  );
}
