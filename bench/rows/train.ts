// One training row in a process of its own, so that its peak memory is its own: prints one JSON object.
//   train.ts <full|lora> <135m|4m> <sequence length> <steps> [recompute]

import type { Batch } from '../../src/engine/index.js';
import { type Compute, createCompute } from '../../src/engine/local/compute.js';
import { crossEntropy } from '../../src/methods/sft.js';
import { matmulRate } from '../matmul.js';
import { median, peakBytes } from '../measure.js';
import { shapes } from '../shapes.js';

const threads = 2;
const [mode = 'full', shape = '135m', length = '512', steps = '5', recompute] = process.argv.slice(2);
const config = shapes[shape as keyof typeof shapes];
const tokens = Number(length);
const linears = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];

const compute: Compute = await createCompute({
  model: { config, seed: 1 },
  train: mode as 'full' | 'lora',
  adapter: mode === 'lora' ? { r: 16, alpha: 32, dropout: 0, targetModules: linears, useRslora: false } : null,
  device: 'cpu',
  threads,
  gradientCheckpointing: recompute === 'recompute',
  seed: 1,
  vocabulary: null,
  baseModel: 'bench',
  files: {},
  sampleSlots: 1,
});

const ids = Int32Array.from({ length: tokens + 1 }, (_, i) => (i * 7919) % config.vocabSize);
const batch: Batch = {
  sequences: [{ tokens: ids.slice(0, -1), targets: ids.slice(1), wanted: new Uint8Array(tokens).fill(1) }],
  inputs: { weights: [new Float32Array(tokens).fill(1 / tokens)] },
  scalars: {},
};
const adamw = { learningRate: 1e-4, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01, maxGradNorm: 1 };

const warmup = 2;
const gradientTimes: number[] = [];
const stepTimes: number[] = [];
const rates: number[] = [];
for (let step = 0; step < warmup + Number(steps); step++) {
  const start = performance.now();
  await compute.forwardBackward(batch, crossEntropy);
  const middle = performance.now();
  await compute.optimStep(adamw);
  const end = performance.now();
  if (step < warmup) continue;
  gradientTimes.push((middle - start) / 1000);
  stepTimes.push((end - start) / 1000);
}
const peak = peakBytes();
for (let i = 0; i < 3; i++) rates.push(await matmulRate(threads));
const { total, trained } = compute.parameterCount;
const base = mode === 'lora' ? total - trained : total;
// Forward 2·N a token, backward twice that; with frozen weights their gradient, a third of it, is not computed.
const flops = (mode === 'lora' ? 4 : 6) * base * tokens;
console.log(
  JSON.stringify({
    tokensPerSecond: tokens / median(stepTimes),
    forwardBackwardTokensPerSecond: tokens / median(gradientTimes),
    flopsPerSecond: flops / median(gradientTimes),
    matmulFlopsPerSecond: Math.max(...rates),
    peakBytes: peak,
  }),
);
await compute.dispose();
