import { addFurther } from './optimizer-kernels.js';
import type { RunInput, RunOutput } from './runtime.js';
import type { TrainedParameters } from './trained-parameters.js';
import { embeddingName, embeddingRowsName, gradientName } from './training-graph.js';

/** Gradients by parameter, added up over micro-batches in the parameters' own memory. */
export interface GradientSums {
  /** Memory for the gradients of the next micro-batch, by output name. */
  targets(outputs: readonly string[]): Readonly<Record<string, RunInput>>;
  /** Adds the gradients of one micro-batch, of which `targets` said where they go. `tokens` [N] are those of its embedding rows. */
  add(outputs: Readonly<Record<string, RunOutput>>, tokens: BigInt64Array): void;
  /** The sum of one parameter; null before the first micro-batch. */
  get(name: string): Float32Array | null;
  /** The parameters that have a sum, in their order. The next micro-batch starts new sums. */
  take(): readonly string[];
  clear(): void;
}

export function createGradientSums(
  parameters: TrainedParameters,
  shapes: ReadonlyMap<string, readonly number[]>,
): GradientSums {
  const summed = new Set<string>();
  const memoryFor = (name: string): Float32Array => {
    const { gradient, further } = parameters.get(name)!;
    return summed.has(name) ? further : gradient;
  };

  return {
    targets(outputs) {
      const wanted = new Set(outputs);
      return Object.fromEntries(
        [...parameters.keys()]
          .filter((name) => wanted.has(gradientName(name)))
          .map((name) => [gradientName(name), { data: memoryFor(name), shape: shapes.get(name)! }]),
      );
    },

    add(outputs, tokens) {
      for (const [name, parameter] of parameters) {
        if (!outputs[gradientName(name)]) continue;
        if (summed.has(name)) addFurther(parameter);
        summed.add(name);
      }
      const rows = outputs[embeddingRowsName]?.data as Float32Array | undefined;
      if (!rows) return;
      // The gradient of the head that shares the embedding is there already; without one the rows are all there is.
      const sum = parameters.get(embeddingName)!.gradient;
      if (!summed.has(embeddingName)) sum.fill(0);
      summed.add(embeddingName);
      const width = rows.length / tokens.length;
      tokens.forEach((token, t) => {
        const to = Number(token) * width;
        for (let i = 0; i < width; i++) sum[to + i]! += rows[t * width + i]!;
      });
    },

    get: (name) => (summed.has(name) ? parameters.get(name)!.gradient : null),

    take() {
      const names = [...parameters.keys()].filter((name) => summed.has(name));
      summed.clear();
      return names;
    },

    clear() {
      summed.clear();
    },
  };
}
