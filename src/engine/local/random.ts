/** 32 well-mixed bits of two 32-bit words (MurmurHash3's finalizer over their combination). */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The draw in [0, 1) that a seed gives at a position: a pure function, so that no draw depends on another. */
export function uniform(seed: number, position: number): number {
  const low = Math.floor(seed) >>> 0;
  const high = Math.floor(seed / 2 ** 32) >>> 0;
  const key = mix(low, high ^ 0x5bd1e995);
  const a = mix(key, position) >>> 5;
  const b = mix(key ^ 0x27d4eb2f, position) >>> 6;
  return (a * 67_108_864 + b) / 9_007_199_254_740_992;
}
