import { llama3Frequency } from '../rope.js';

export interface Llama3Scaling {
  readonly factor: number;
  readonly lowFreqFactor: number;
  readonly highFreqFactor: number;
  readonly originalMaxPositionEmbeddings: number;
}

/**
 * llama.cpp stores Llama 3's RoPE scaling as `rope_freqs.weight` [headDim / 2]: how much slower each pair of dimensions
 * turns. This finds the parameters that give those factors, or null when none do within 1e-3.
 */
export function llama3ScalingFromFactors(factors: Float32Array, theta: number): Llama3Scaling | null {
  const fitted = fitLlama3(factors, theta);
  const candidates: readonly (Llama3Scaling | null)[] = [
    // Llama 3.1 and Llama 3.2, which also settle what a small head leaves open.
    ...[8, 32].map((factor) => ({
      factor,
      lowFreqFactor: 1,
      highFreqFactor: 4,
      originalMaxPositionEmbeddings: 8192,
    })),
    fitted === null
      ? null
      : { ...fitted, originalMaxPositionEmbeddings: Math.round(fitted.originalMaxPositionEmbeddings) },
    fitted,
  ];
  return candidates.find((scaling) => scaling !== null && reproduces(factors, theta, scaling)) ?? null;
}

/**
 * On the ramp, 1/f = (1 - s)/factor + s with s = (original/wavelength - low)/(high - low), a straight line in the
 * frequency. Only the ratios original : low : high matter, so low is taken as 1.
 */
function fitLlama3(factors: Float32Array, theta: number): Llama3Scaling | null {
  const factor = Math.max(...factors);
  const points: [frequency: number, kept: number][] = [];
  for (const [i, f] of factors.entries()) {
    const kept = (1 / f - 1 / factor) / (1 - 1 / factor);
    if (kept > 1e-4 && kept < 1 - 1e-4) points.push([frequencyOf(i, factors.length, theta), kept]);
  }
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || first === last) return null;
  const slope = (first[1] - last[1]) / (first[0] - last[0]);
  const intercept = first[1] - slope * first[0];
  if (!(slope > 0) || !(intercept < 0)) return null;
  return {
    factor,
    lowFreqFactor: 1,
    highFreqFactor: 1 - 1 / intercept,
    originalMaxPositionEmbeddings: (-slope / intercept) * 2 * Math.PI,
  };
}

function reproduces(factors: Float32Array, theta: number, scaling: Llama3Scaling): boolean {
  return factors.every((f, i) => {
    const frequency = frequencyOf(i, factors.length, theta);
    return Math.abs(frequency / llama3Frequency(frequency, scaling) / f - 1) < 1e-3;
  });
}

function frequencyOf(i: number, half: number, theta: number): number {
  return theta ** (-i / half);
}
