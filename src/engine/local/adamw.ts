import type { OptimStepParams } from '../types.js';
import { updateInPlace } from './optimizer-kernels.js';
import type { TrainedParameter } from './trained-parameters.js';

/** The factor that clips a gradient of this norm, as PyTorch's `clip_grad_norm_`; `maxNorm` 0 clips nothing. */
export const clipScale = (norm: number, maxNorm: number): number =>
  maxNorm > 0 ? Math.min(1, maxNorm / (norm + 1e-6)) : 1;

/**
 * One AdamW update in place (Loshchilov & Hutter 2019, algorithm 2, in float32 and in the order of operations of PyTorch):
 * p ← p − lr·wd·p, then p ← p − lr/(1−β₁ᵗ) · m / (√v/√(1−β₂ᵗ) + ε). The gradient is multiplied by `scale` first.
 */
export function adamwUpdate(parameter: TrainedParameter, params: OptimStepParams, step: number, scale: number): void {
  const { beta1, beta2, epsilon, learningRate, weightDecay } = params;
  updateInPlace(parameter, [
    scale,
    beta1,
    1 - beta1,
    beta2,
    1 - beta2,
    1 - learningRate * weightDecay,
    learningRate / (1 - beta1 ** step),
    1 / Math.sqrt(1 - beta2 ** step),
    epsilon,
  ]);
}
