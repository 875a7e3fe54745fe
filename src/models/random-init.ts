import { createRandom } from '../random/index.js';
import type { ModelConfig, Weight, Weights } from './config.js';
import { parameterShapes } from './parameters.js';

/**
 * A model from scratch, initialised as transformers does: matrices from normal(0, initializer_range), norms 1, biases 0.
 * The values of a parameter depend on the seed and on its name, not on the other parameters.
 */
export function randomWeights(config: ModelConfig, seed: number): Weights {
  const weights = new Map<string, Weight>();
  for (const [name, shape] of parameterShapes(config)) {
    const size = shape.reduce((product, n) => product * n, 1);
    const data = new Float32Array(size);
    if (/norm\.weight$/.test(name)) data.fill(1);
    else if (!name.endsWith('.bias')) fillNormal(data, config.initializerRange, seed, name);
    weights.set(name, { shape, data });
  }
  return weights;
}

/** Fills with draws from normal(0, deviation) by Box and Muller's method; the stream is chosen by seed and name. */
export function fillNormal(data: Float32Array, deviation: number, seed: number, name: string): void {
  const uniform = uniformStream(seed, name);
  for (let i = 0; i < data.length; i += 2) {
    // 1 - u lies in (0, 1], where the logarithm is finite.
    const radius = deviation * Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    data[i] = radius * Math.cos(angle);
    if (i + 1 < data.length) data[i + 1] = radius * Math.sin(angle);
  }
}

/** Fills with draws from uniform(-bound, bound); the stream is chosen by seed and name. */
export function fillUniform(data: Float32Array, bound: number, seed: number, name: string): void {
  const uniform = uniformStream(seed, name);
  for (let i = 0; i < data.length; i++) data[i] = bound * (2 * uniform() - 1);
}

/** Uniform draws in [0, 1). */
function uniformStream(seed: number, name: string): () => number {
  return createRandom(seed, ...new TextEncoder().encode(name)).float;
}
