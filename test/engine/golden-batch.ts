import type { Batch, LocalEngineOptions } from '../../src/engine/index.js';
import { golden, goldenPath, readGolden } from '../golden/read-golden.js';

/** The three sequences of a golden model as an engine batch, with weights that add up to 1. */
export function goldenBatch(model: string, only: readonly number[] = [0, 1, 2]): Batch {
  const tensors = readGolden(`models/${model}/golden.safetensors`);
  const ints = (name: string): Int32Array => golden(tensors, name).data as Int32Array;
  const raw = [0, 1, 2].map((i) => golden(tensors, `weights.${i}`).data as Float32Array);
  const total = raw.reduce((sum, weights) => sum + weights.reduce((a, b) => a + b, 0), 0);
  return {
    sequences: only.map((i) => ({
      tokens: ints(`input_ids.${i}`),
      targets: ints(`targets.${i}`),
      wanted: new Uint8Array(ints(`targets.${i}`).length).fill(1),
    })),
    inputs: { weights: only.map((i) => raw[i]!.map((weight) => weight / total)) },
    scalars: {},
  };
}

export const goldenModelPath = (model: string): string => goldenPath(`models/${model}`);

/** Largest difference relative to the largest reference value. */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  let difference = 0;
  let scale = 0;
  for (let i = 0; i < expected.length; i++) {
    difference = Math.max(difference, Math.abs(actual[i]! - expected[i]!));
    scale = Math.max(scale, Math.abs(expected[i]!));
  }
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  return difference / Math.max(scale, 1e-12);
}

export const testOptions = (path: string, extra: Partial<LocalEngineOptions> = {}): LocalEngineOptions => ({
  model: { path },
  train: 'full',
  adapter: null,
  device: 'cpu',
  threads: 1,
  gradientCheckpointing: false,
  seed: 1,
  vocabulary: null,
  baseModel: path,
  files: {},
  sampleSlots: 8,
  ...extra,
});
