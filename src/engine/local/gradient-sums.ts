import type { RunInput, RunOutput } from './runtime.js';
import { embeddingName, embeddingRowsName, gradientName } from './training-graph.js';

/** Gradients by parameter, added up over micro-batches. */
export type GradientSums = Map<string, Float32Array>;

/** Adds the gradients of one micro-batch; the first ones are taken over without a copy. */
export function addGradients(
  sums: GradientSums,
  outputs: Readonly<Record<string, RunOutput>>,
  parameters: ReadonlyMap<string, RunInput>,
  trainable: Iterable<string>,
  tokens: BigInt64Array,
): void {
  for (const name of trainable) {
    const gradient = outputs[gradientName(name)]?.data as Float32Array | undefined;
    if (!gradient) continue;
    const sum = sums.get(name);
    if (sum) for (let i = 0; i < sum.length; i++) sum[i]! += gradient[i]!;
    else sums.set(name, gradient);
  }
  const rows = outputs[embeddingRowsName]?.data as Float32Array | undefined;
  if (!rows) return;
  let sum = sums.get(embeddingName);
  if (!sum) {
    sum = new Float32Array(parameters.get(embeddingName)!.data.length);
    sums.set(embeddingName, sum);
  }
  const width = rows.length / tokens.length;
  tokens.forEach((token, t) => {
    const to = Number(token) * width;
    for (let i = 0; i < width; i++) sum[to + i]! += rows[t * width + i]!;
  });
}
