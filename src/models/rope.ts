import type { ModelConfig } from './config.js';

export interface RopeTables {
  /** [length, headDim / 2] */
  readonly cos: Float32Array;
  /** [length, headDim / 2] */
  readonly sin: Float32Array;
}

/**
 * cos and sin of every position's rotation angles, for the "half" layout (dimension i turns with i + headDim / 2).
 * Angles are computed in float64; YaRN's attention factor is folded into both tables.
 */
export function ropeTables(config: Pick<ModelConfig, 'headDim' | 'rope'>, length: number): RopeTables {
  const frequencies = ropeFrequencies(config);
  const scale = config.rope.type === 'yarn' ? config.rope.attentionFactor : 1;
  const half = frequencies.length;
  const cos = new Float32Array(length * half);
  const sin = new Float32Array(length * half);
  for (let position = 0; position < length; position++) {
    for (let i = 0; i < half; i++) {
      const angle = position * frequencies[i]!;
      cos[position * half + i] = scale * Math.cos(angle);
      sin[position * half + i] = scale * Math.sin(angle);
    }
  }
  return { cos, sin };
}

/** Radians per position of each pair of dimensions, [headDim / 2]. */
export function ropeFrequencies(config: Pick<ModelConfig, 'headDim' | 'rope'>): Float64Array {
  const { rope, headDim } = config;
  const base = Float64Array.from({ length: headDim / 2 }, (_, i) => rope.theta ** ((-2 * i) / headDim));
  switch (rope.type) {
    case 'default':
      return base;
    case 'linear':
      return base.map((frequency) => frequency / rope.factor);
    case 'llama3':
      return base.map((frequency) => llama3Frequency(frequency, rope));
    case 'yarn': {
      // Peng et al. 2023 (YaRN), §3.2: dimensions that turn more than betaFast times within the original context keep
      // their frequency, those below betaSlow are interpolated, and a linear ramp joins them.
      const dimensionOfTurns = (turns: number) =>
        (headDim * Math.log(rope.originalMaxPositionEmbeddings / (turns * 2 * Math.PI))) / (2 * Math.log(rope.theta));
      const low = dimensionOfTurns(rope.betaFast);
      const high = dimensionOfTurns(rope.betaSlow);
      const start = Math.max(rope.truncate ? Math.floor(low) : low, 0);
      const last = Math.min(rope.truncate ? Math.ceil(high) : high, headDim - 1);
      const end = last === start ? last + 0.001 : last;
      return base.map((frequency, i) => {
        const interpolated = Math.min(Math.max((i - start) / (end - start), 0), 1);
        return (frequency / rope.factor) * interpolated + frequency * (1 - interpolated);
      });
    }
  }
}

/** Llama 3.1's scaling of one frequency: long waves are slowed by `factor`, short ones kept, a ramp between. */
export function llama3Frequency(
  frequency: number,
  rope: {
    readonly factor: number;
    readonly lowFreqFactor: number;
    readonly highFreqFactor: number;
    readonly originalMaxPositionEmbeddings: number;
  },
): number {
  const turns = (rope.originalMaxPositionEmbeddings * frequency) / (2 * Math.PI);
  if (turns < rope.lowFreqFactor) return frequency / rope.factor;
  if (turns > rope.highFreqFactor) return frequency;
  const kept = (turns - rope.lowFreqFactor) / (rope.highFreqFactor - rope.lowFreqFactor);
  return (1 - kept) * (frequency / rope.factor) + kept * frequency;
}
