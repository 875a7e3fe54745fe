import { createHash } from 'node:crypto';

/**
 * Seed of one sample: the first four bytes, big-endian, of SHA-256 over the UTF-8 text of the JSON array
 * `[runSeed, step, promptId, generation]`. It depends on nothing else, so what is sampled for a prompt stays the same
 * whichever prompts share its batch, and any language can recompute it.
 */
export function sampleSeed(runSeed: number, step: number, promptId: string, generation: number): number {
  const key = JSON.stringify([runSeed, step, promptId, generation]);
  return createHash('sha256').update(key).digest().readUInt32BE(0);
}
