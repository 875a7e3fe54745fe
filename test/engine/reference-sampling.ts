import type { SamplingParams } from '../../src/engine/index.js';

export interface ReferenceDistribution {
  /** By token; 0 where cut off. */
  readonly probabilities: readonly number[];
  /** Whether a cut comes so close to a token that float32 may decide it the other way. */
  readonly close: boolean;
}

/**
 * The distribution that Hugging Face's `generate` draws from: repetition penalty, temperature, top-k, top-p, min-p, each
 * as its definition reads, in float64.
 */
export function referenceDistribution(
  logits: readonly number[],
  { temperature, topP, topK, minP, repetitionPenalty }: SamplingParams,
  seen: readonly number[],
): ReferenceDistribution {
  const tolerance = 1e-5;
  let close = false;
  const scores = logits.map((logit, token) => {
    if (!seen.includes(token)) return logit / temperature;
    return (logit > 0 ? logit / repetitionPenalty : logit * repetitionPenalty) / temperature;
  });
  const softmax = (tokens: readonly number[]): Map<number, number> => {
    const largest = Math.max(...tokens.map((token) => scores[token]!));
    const weights = tokens.map((token) => Math.exp(scores[token]! - largest));
    const total = weights.reduce((a, b) => a + b, 0);
    return new Map(tokens.map((token, i) => [token, weights[i]! / total]));
  };
  let kept = logits.map((_, token) => token).sort((a, b) => scores[b]! - scores[a]!);
  if (topK > 0) {
    if (topK < kept.length && scores[kept[topK - 1]!]! - scores[kept[topK]!]! < tolerance) close = true;
    kept = kept.slice(0, topK);
  }
  if (topP < 1) {
    const p = softmax(kept);
    let before = 0;
    kept = kept.filter((token) => {
      const keep = before < topP;
      if (Math.abs(before - topP) < tolerance) close = true;
      before += p.get(token)!;
      return keep;
    });
  }
  if (minP > 0) {
    const p = softmax(kept);
    const bar = minP * Math.max(...p.values());
    if (kept.some((token) => Math.abs(p.get(token)! - bar) < tolerance)) close = true;
    kept = kept.filter((token) => p.get(token)! >= bar);
  }
  const p = softmax(kept);
  return { probabilities: logits.map((_, token) => p.get(token) ?? 0), close };
}
