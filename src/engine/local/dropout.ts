import { mix } from './random.js';

/** A pool of inverted-dropout factors, 0 with probability p and else 1/(1 − p), drawn from one seed (xorshift32). */
export function dropoutPool(length: number, p: number, seed: number, draw: number): Float32Array {
  let state = mix(seed >>> 0, draw) || 1;
  const threshold = p * 2 ** 32;
  const keep = 1 / (1 - p);
  const pool = new Float32Array(length);
  for (let i = 0; i < length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    pool[i] = state >>> 0 < threshold ? 0 : keep;
  }
  return pool;
}
