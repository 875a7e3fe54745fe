import { embeddingName, headParts } from './head-parts.js';
import { addFurther } from './optimizer-kernels.js';
import type { RunInput, RunOutput } from './runtime.js';
import type { TrainedParameters } from './trained-parameters.js';
import { embeddingRowsName, gradientName, targetRowsName } from './training-graph.js';

/** Gradients by parameter, added up over micro-batches in the parameters' own memory. */
export interface GradientSums {
  /** Memory for the gradients of the next micro-batch, by output name. */
  targets(outputs: readonly string[]): Readonly<Record<string, RunInput>>;
  /**
   * Adds the gradients of one micro-batch, of which `targets` said where they go. `tokens` [N] and `wantedTargets` [M] are
   * those of its embedding rows and of its target rows.
   */
  add(outputs: Readonly<Record<string, RunOutput>>, tokens: BigInt64Array, wantedTargets: BigInt64Array): void;
  /** The sum of one parameter; null before the first micro-batch. */
  get(name: string): Float32Array | null;
  /** The parameters that have a sum, in their order. The next micro-batch starts new sums. */
  take(): readonly string[];
  clear(): void;
}

/** `shapes` of the parameters by name; `head` is the name of the output head, trained or not. */
export function createGradientSums(
  parameters: TrainedParameters,
  shapes: ReadonlyMap<string, readonly number[]>,
  head: string,
): GradientSums {
  const summed = new Set<string>();
  /** Outputs that hold the gradient of a parameter, with their memory: the sum's own, or that of a further micro-batch. */
  const outputsOf = (name: string): [output: string, memory: RunInput][] => {
    const { gradient, further } = parameters.get(name)!;
    const memory = { data: summed.has(name) ? further : gradient, shape: shapes.get(name)! };
    const parts: [string, RunInput][] = name === head ? headParts(name, memory) : [[name, memory]];
    return parts.map(([part, memory]) => [gradientName(part), memory]);
  };

  /** Adds rows [tokens, width] to those of the tokens in the gradient of `name`. */
  const addRows = (name: string, rows: RunOutput | undefined, tokens: BigInt64Array): void => {
    if (!rows) return;
    const sum = parameters.get(name)!.gradient;
    if (!summed.has(name)) sum.fill(0);
    summed.add(name);
    const width = rows.shape[1]!;
    const values = rows.data as Float32Array;
    tokens.forEach((token, t) => {
      const to = Number(token) * width;
      for (let i = 0; i < width; i++) sum[to + i]! += values[t * width + i]!;
    });
  };

  return {
    targets(outputs) {
      const wanted = new Set(outputs);
      const targets = [...parameters.keys()].flatMap(outputsOf);
      return Object.fromEntries(targets.filter(([name]) => wanted.has(name)));
    },

    add(outputs, tokens, wantedTargets) {
      for (const [name, parameter] of parameters) {
        if (!outputs[outputsOf(name)[0]![0]]) continue;
        if (summed.has(name)) addFurther(parameter);
        summed.add(name);
      }
      // Rows go to what is there already; without it they are all there is.
      addRows(embeddingName, outputs[embeddingRowsName], tokens);
      addRows(head, outputs[targetRowsName], wantedTargets);
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
