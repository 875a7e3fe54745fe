import type { OptimStepParams } from '../types.js';

/** First and second moments of one parameter. */
export interface Moments {
  readonly m: Float32Array;
  readonly v: Float32Array;
}

/** Sum of squares in float64. */
export function squaredNorm(x: Float32Array): number {
  let a = 0;
  let b = 0;
  const even = x.length & ~1;
  for (let i = 0; i < even; i += 2) {
    a += x[i]! * x[i]!;
    b += x[i + 1]! * x[i + 1]!;
  }
  if (even < x.length) a += x[even]! * x[even]!;
  return a + b;
}

/** The factor that clips a gradient of this norm, as PyTorch's `clip_grad_norm_`; `maxNorm` 0 clips nothing. */
export const clipScale = (norm: number, maxNorm: number): number =>
  maxNorm > 0 ? Math.min(1, maxNorm / (norm + 1e-6)) : 1;

/**
 * One AdamW update in place (Loshchilov & Hutter 2019, algorithm 2, in the order of operations of PyTorch):
 * p ← p − lr·wd·p, then p ← p − lr/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε). The gradient is multiplied by `scale` first.
 */
export function adamwUpdate(
  p: Float32Array,
  gradient: Float32Array,
  { m, v }: Moments,
  params: OptimStepParams,
  step: number,
  scale: number,
): void {
  const { beta1, beta2, epsilon, learningRate, weightDecay } = params;
  const stepSize = learningRate / (1 - beta1 ** step);
  const rootCorrection = 1 / Math.sqrt(1 - beta2 ** step);
  const decay = 1 - learningRate * weightDecay;
  const rest1 = 1 - beta1;
  const rest2 = 1 - beta2;
  for (let i = 0; i < p.length; i++) {
    const g = gradient[i]! * scale;
    const m1 = m[i]! * beta1 + g * rest1;
    const v1 = v[i]! * beta2 + g * g * rest2;
    m[i] = m1;
    v[i] = v1;
    p[i] = p[i]! * decay - (stepSize * m1) / (Math.sqrt(v1) * rootCorrection + epsilon);
  }
}
