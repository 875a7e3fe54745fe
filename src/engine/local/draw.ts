import type { SamplingParams } from '../types.js';

export interface Draw {
  readonly token: number;
  /** Probability under the distribution that was drawn from. */
  readonly probability: number;
}

export const noDistribution =
  'sampler: the next-token probabilities are not a number; the weights it samples with are broken';

const argmax = (p: Float32Array): number => {
  let best = 0;
  for (let i = 1; i < p.length; i++) if (p[i]! > p[best]!) best = i;
  return best;
};

/**
 * Draws a token from probabilities [V] that temperature has already been applied to, after top-k, top-p and min-p in
 * the order of Hugging Face's `generate`. `u` is in [0, 1). Temperature 0 takes the most probable token.
 */
export function drawToken(p: Float32Array, params: SamplingParams, u: number): Draw {
  if (params.temperature === 0) {
    const token = argmax(p);
    if (!(p[token]! > 0)) throw new Error(noDistribution);
    return { token, probability: 1 };
  }
  const cuts = params.topK > 0 || params.topP < 1 || params.minP > 0;
  if (!cuts) return drawFrom(p, null, params.repetitionPenalty === 1 ? 1 : total(p), u);
  const kept = keepTokens(p, params);
  let mass = 0;
  for (const token of kept) mass += p[token]!;
  return drawFrom(p, kept, mass, u);
}

function total(p: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += p[i]!;
  return sum;
}

/** Walks the cumulative distribution; `kept` null means all tokens. */
function drawFrom(p: Float32Array, kept: readonly number[] | null, mass: number, u: number): Draw {
  const token = kept ? walkKept(p, kept, u * mass) : walkAll(p, u * mass);
  if (!(p[token]! > 0)) throw new Error(noDistribution);
  return { token, probability: p[token]! / mass };
}

function walkAll(p: Float32Array, target: number): number {
  let left = target;
  for (let i = 0; i < p.length; i++) {
    left -= p[i]!;
    if (left < 0) return i;
  }
  return Number.isNaN(left) ? -1 : p.findLastIndex((probability) => probability > 0);
}

function walkKept(p: Float32Array, kept: readonly number[], target: number): number {
  let left = target;
  for (const token of kept) {
    left -= p[token]!;
    if (left < 0) return token;
  }
  return Number.isNaN(left) ? -1 : (kept.findLast((token) => p[token]! > 0) ?? -1);
}

/** Tokens that survive the cuts, in order of their ids. At least one always does. */
export function keepTokens(p: Float32Array, { topK, topP, minP }: SamplingParams): number[] {
  const best = p[argmax(p)]!;
  let candidates = topK > 0 ? topCandidates(p, topK) : nucleusCandidates(p, topP);
  candidates.sort((a, b) => p[b]! - p[a]! || a - b);
  if (topK > 0) candidates = candidates.slice(0, topK);
  if (topP < 1) {
    // topP counts against what top-k left.
    const mass = topK > 0 ? candidates.reduce((sum, token) => sum + p[token]!, 0) : total(p);
    let reached = 0;
    let count = 0;
    while (count < candidates.length && reached < topP * mass) reached += p[candidates[count++]!]!;
    candidates = candidates.slice(0, Math.max(1, count));
  }
  if (minP > 0) candidates = candidates.filter((token) => p[token]! >= minP * best);
  return candidates.sort((a, b) => a - b);
}

/** A superset of the `count` most probable tokens, in one pass over the leading bits of their probabilities. */
function topCandidates(p: Float32Array, count: number): number[] {
  const bits = new Uint32Array(p.buffer, p.byteOffset, p.length);
  // Sign, exponent and four bits of the fraction; for positive floats their order is that of the values.
  const shift = 19;
  const histogram = new Uint32Array(2 ** (32 - shift));
  for (let i = 0; i < bits.length; i++) histogram[bits[i]! >>> shift]!++;
  let lowest = histogram.length;
  for (let found = 0; found < count && lowest > 0; ) found += histogram[--lowest]!;
  const candidates: number[] = [];
  for (let i = 0; i < p.length; i++) if (bits[i]! >>> shift >= lowest && p[i]! > 0) candidates.push(i);
  return candidates;
}

/** The tokens that may be needed to reach topP: those left out weigh less than 1 − topP together. */
function nucleusCandidates(p: Float32Array, topP: number): number[] {
  const floor = topP < 1 ? ((1 - topP) * total(p)) / p.length : 0;
  const candidates: number[] = [];
  for (let i = 0; i < p.length; i++) if (p[i]! >= floor && p[i]! > 0) candidates.push(i);
  return candidates;
}

/** softmax(logits / temperature); temperature 0 stands for 1, as it leaves the order of the tokens. */
export function temper(logits: Float32Array, temperature: number): Float32Array {
  const inverse = 1 / (temperature || 1);
  let largest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > largest) largest = logit;
  let sum = 0;
  const p = logits.map((logit) => {
    const weight = Math.exp((logit - largest) * inverse);
    sum += weight;
    return weight;
  });
  return p.map((weight) => weight / sum);
}

/**
 * Repetition penalty (Keskar et al. 2019): positive logits of tokens seen before are divided by it, negative ones
 * multiplied. Rewrites the tempered probabilities of those tokens in place; the rest of the row keeps its proportions,
 * unless what is left of it is so small that tokens now in front may have been rounded to 0.
 */
export function penalize(
  p: Float32Array,
  logits: Float32Array,
  seen: ReadonlySet<number>,
  penalty: number,
  temperature: number,
): void {
  const penalized = (logit: number): number => (logit > 0 ? logit / penalty : logit * penalty);
  for (const token of seen) {
    const logit = logits[token]!;
    p[token]! *= Math.exp((penalized(logit) - logit) / (temperature || 1));
  }
  const mass = total(p);
  if (mass > 1e-20 && mass < 1e20) return;
  const changed = logits.slice();
  for (const token of seen) changed[token] = penalized(logits[token]!);
  p.set(temper(changed, temperature));
}
