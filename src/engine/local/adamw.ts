import type { OptimStepParams } from '../types.js';
import { wasmBase64 } from './kernels/adamw.wasm.js';

/** First and second moments of one parameter. */
export interface Moments {
  readonly m: Float32Array;
  readonly v: Float32Array;
}

// JavaScript's own loops are scalar and in float64: the SIMD kernel over blocks that stay in the processor's cache takes a
// third of the time, copies in and out included.
interface Kernel {
  readonly memory: WebAssembly.Memory;
  update(p: number, g: number, m: number, v: number, count: number, ...factors: readonly number[]): void;
  squares(g: number, count: number): number;
}

const kernel = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(wasmBase64, 'base64')))
  .exports as unknown as Kernel;
/** Floats of each of the four arrays in the kernel's memory. */
const block = 16_384;
const memory = new Float32Array(kernel.memory.buffer);
const bytes = (floats: number): number => floats * Float32Array.BYTES_PER_ELEMENT;
/** The kernel works on four floats at a time; what lies behind the last one is ignored. */
const wholeVectors = (count: number): number => (count + 3) & ~3;

/** Sum of squares in float64. */
export function squaredNorm(x: Float32Array): number {
  let sum = 0;
  for (let start = 0; start < x.length; start += block) {
    const part = x.subarray(start, start + block);
    memory.set(part);
    memory.fill(0, part.length, wholeVectors(part.length));
    sum += kernel.squares(0, wholeVectors(part.length));
  }
  return sum;
}

/** The factor that clips a gradient of this norm, as PyTorch's `clip_grad_norm_`; `maxNorm` 0 clips nothing. */
export const clipScale = (norm: number, maxNorm: number): number =>
  maxNorm > 0 ? Math.min(1, maxNorm / (norm + 1e-6)) : 1;

/**
 * One AdamW update in place (Loshchilov & Hutter 2019, algorithm 2, in float32 and in the order of operations of PyTorch):
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
  const factors = [
    scale,
    beta1,
    1 - beta1,
    beta2,
    1 - beta2,
    1 - learningRate * weightDecay,
    learningRate / (1 - beta1 ** step),
    1 / Math.sqrt(1 - beta2 ** step),
    epsilon,
  ];
  const arrays = [p, gradient, m, v] as const;
  const [atP, atG, atM, atV] = [0, block, 2 * block, 3 * block] as const;
  for (let start = 0; start < p.length; start += block) {
    const count = Math.min(block, p.length - start);
    arrays.forEach((array, i) => {
      memory.set(array.subarray(start, start + count), i * block);
    });
    kernel.update(bytes(atP), bytes(atG), bytes(atM), bytes(atV), wholeVectors(count), ...factors);
    p.set(memory.subarray(atP, atP + count), start);
    m.set(memory.subarray(atM, atM + count), start);
    v.set(memory.subarray(atV, atV + count), start);
  }
}
