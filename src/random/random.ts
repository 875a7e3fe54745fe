/** Uniform numbers from one generator. */
export interface Random {
  /** Uniform in [0, 2^32). */
  uint32(): number;
  /** Uniform in [0, 1), 53 random bits. */
  float(): number;
  /** Uniform integer in [0, bound), without modulo bias. `bound` in 1 … 2^32. */
  below(bound: number): number;
}

const mask64 = (1n << 64n) - 1n;

/** One step of splitmix64 (Steele, Lea & Flood 2014), the seeding that xoshiro's authors advise. */
function splitmix64(state: bigint): { next: bigint; output: bigint } {
  const next = (state + 0x9e3779b97f4a7c15n) & mask64;
  let z = next;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask64;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask64;
  return { next, output: z ^ (z >> 31n) };
}

/**
 * A generator that depends on every number of `key` and on their order: `createRandom(seed, epoch)` gives each epoch a
 * sequence of its own. Keys are integers.
 */
export function createRandom(...key: readonly number[]): Random {
  let mixed = 0n;
  for (const part of key) {
    mixed = splitmix64(mixed ^ (BigInt(part) & mask64)).output;
  }
  const first = splitmix64(mixed);
  const second = splitmix64(first.next);
  const low = (word: bigint) => Number(word & 0xffffffffn);
  const high = (word: bigint) => Number(word >> 32n);
  return xoshiro128(low(first.output), high(first.output), low(second.output), high(second.output));
}

/**
 * xoshiro128** (Blackman & Vigna, "Scrambled linear pseudorandom number generators", 2021): 32-bit output, period 2^128 - 1.
 * The four words of its state must not all be zero.
 */
export function xoshiro128(a: number, b: number, c: number, d: number): Random {
  function uint32(): number {
    const product = Math.imul(b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  }

  function below(bound: number): number {
    if (!Number.isInteger(bound) || bound < 1 || bound > 2 ** 32) {
      throw new RangeError(`A random integer needs a bound between 1 and 2^32, not ${bound}.`);
    }
    const limit = 2 ** 32 - (2 ** 32 % bound);
    let drawn = uint32();
    while (drawn >= limit) drawn = uint32();
    return drawn % bound;
  }

  return {
    uint32,
    float: () => ((uint32() >>> 5) * 2 ** 26 + (uint32() >>> 6)) / 2 ** 53,
    below,
  };
}

/** A uniformly shuffled copy (Fisher–Yates). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = items.slice();
  for (let last = result.length - 1; last > 0; last--) {
    const pick = random.below(last + 1);
    const moved = result[last] as T;
    result[last] = result[pick] as T;
    result[pick] = moved;
  }
  return result;
}
