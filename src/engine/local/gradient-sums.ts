import type { RunInput, RunOutput } from './runtime.js';
import { embeddingName, embeddingRowsName, gradientName } from './training-graph.js';

/** Gradients by parameter, added up over micro-batches in memory that is used again after each optimizer step. */
export interface GradientSums {
  /** Memory for the gradients of the next micro-batch, by output name. */
  targets(outputs: readonly string[]): Readonly<Record<string, RunInput>>;
  /** Adds the gradients of one micro-batch, of which `targets` said where they go. `tokens` [N] are those of its embedding rows. */
  add(outputs: Readonly<Record<string, RunOutput>>, tokens: BigInt64Array): void;
  /** The sum of one parameter; null before the first micro-batch. */
  get(name: string): Float32Array | null;
  /** Takes the sums out, in the order of the parameters; null where there are none. */
  take(): ReadonlyMap<string, Float32Array> | null;
  /** Gives memory back that `take` took out. */
  giveBack(name: string, memory: Float32Array): void;
  clear(): void;
}

/** `shapes` of the trained parameters, by name. */
export function createGradientSums(shapes: ReadonlyMap<string, readonly number[]>): GradientSums {
  let sums: Map<string, Float32Array> | null = null;
  /** Memory for the next gradients. Once there is a sum, it is a second set, whose values are added to the first. */
  const spare = new Map<string, Float32Array>();

  const sizeOf = (name: string): number => shapes.get(name)!.reduce((product, dim) => product * dim, 1);
  const memoryFor = (name: string): Float32Array => {
    const memory = spare.get(name) ?? new Float32Array(sizeOf(name));
    spare.delete(name);
    return memory;
  };

  return {
    targets(outputs) {
      const wanted = new Set(outputs);
      return Object.fromEntries(
        [...shapes]
          .filter(([name]) => wanted.has(gradientName(name)))
          .map(([name, shape]) => [gradientName(name), { data: memoryFor(name), shape }]),
      );
    },

    add(outputs, tokens) {
      sums ??= new Map();
      for (const name of shapes.keys()) {
        const gradient = outputs[gradientName(name)]?.data as Float32Array | undefined;
        if (!gradient) continue;
        const sum = sums.get(name);
        if (!sum) {
          sums.set(name, gradient);
          continue;
        }
        for (let i = 0; i < sum.length; i++) sum[i]! += gradient[i]!;
        spare.set(name, gradient);
      }
      const rows = outputs[embeddingRowsName]?.data as Float32Array | undefined;
      if (!rows) return;
      // The gradient of the head that shares the embedding is there already; without one the rows are all there is.
      const sum = sums.get(embeddingName) ?? memoryFor(embeddingName).fill(0);
      sums.set(embeddingName, sum);
      const width = rows.length / tokens.length;
      tokens.forEach((token, t) => {
        const to = Number(token) * width;
        for (let i = 0; i < width; i++) sum[to + i]! += rows[t * width + i]!;
      });
    },

    get: (name) => sums?.get(name) ?? null,

    take() {
      const taken = sums;
      sums = null;
      return taken;
    },

    giveBack(name, memory) {
      spare.set(name, memory);
    },

    clear() {
      sums = null;
    },
  };
}
