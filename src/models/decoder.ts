import {
  add,
  addDims,
  concat,
  type Dim,
  gatherRows,
  gemm,
  input,
  linear,
  multiply,
  multiplyDims,
  region,
  reshape,
  rmsNorm,
  rotary,
  slice,
  split,
  symbol,
  type Tensor,
} from '../graph/index.js';
import type { Attention } from './attention.js';
import type { ModelConfig } from './config.js';
import type { Layer, LayerContext } from './layer.js';
import { llamaLayer } from './llama.js';
import { mistralLayer } from './mistral.js';
import { parameterShapes } from './parameters.js';
import { qwen2Layer } from './qwen2.js';
import { qwen3Layer } from './qwen3.js';

const layers: Readonly<Record<ModelConfig['family'], Layer>> = {
  llama: llamaLayer,
  mistral: mistralLayer,
  qwen2: qwen2Layer,
  qwen3: qwen3Layer,
};

/** A LoRA adapter as the graph sees it (Hu et al. 2021): y = W x + scale · B A x. */
export interface LoraSpec {
  /** By path of the adapted projection (`model.layers.0.self_attn.q_proj`). */
  readonly modules: ReadonlyMap<string, { readonly r: number; readonly scale: number }>;
  /** Inputs of A are dropped with this probability; the draws come in through `dropout`. 0 = off. */
  readonly dropout: number;
}

export const loraNames = (path: string): { readonly a: string; readonly b: string } => ({
  a: `${path}.lora_A.weight`,
  b: `${path}.lora_B.weight`,
});

/** Each adapted projection reads its dropout draws from one shared pool at an offset of its own. */
export const dropoutSpread = 65_536;

export interface DecoderOptions {
  readonly config: ModelConfig;
  readonly lora: LoraSpec | null;
  /** Rebuild each layer in the backward pass instead of keeping its activations. */
  readonly recompute: boolean;
  readonly attention: (layer: number) => Attention;
  /** Name of the symbol that counts the tokens (rows) of the batch. */
  readonly rows: string;
  /**
   * Whether adapters that read the same values share the products with their A matrices, for a copy of these. That pays
   * with hundreds of rows; in a decoding step the copy takes longer than it saves.
   */
  readonly shareProducts: boolean;
}

export interface Decoder {
  /** The embedding of each token before the first layer, [N, hidden]. */
  readonly embedded: Tensor;
  /** Hidden states after the last norm, [N, hidden]. */
  readonly hidden: Tensor;
  /** Weight of the output head, [vocab, hidden]. */
  readonly head: Tensor;
  /** Every parameter by name, the adapter's included. */
  readonly parameters: ReadonlyMap<string, Tensor>;
}

/**
 * The forward definition that training and sampling share. Inputs of the graph: `tokens` [N] int64, `positions` [1, N]
 * (0 … N−1: rows of cos and sin), `cos` and `sin` [N, D/2] for the position of each token, and what the attention asks for.
 */
export function decoder({ config, lora, recompute, attention, rows, shareProducts }: DecoderOptions): Decoder {
  const N: Dim = symbol(rows);
  const half = config.headDim / 2;
  const parameters = new Map<string, Tensor>();
  for (const [name, shape] of parameterShapes(config)) parameters.set(name, input(name, 'float32', shape));
  const parameter = (name: string): Tensor => parameters.get(name)!;

  const tokens = input('tokens', 'int64', [N]);
  const positions = input('positions', 'int64', [1, N]);
  const cos = input('cos', 'float32', [N, half]);
  const sin = input('sin', 'float32', [N, half]);

  let adapted = 0;
  const adapter = (path: string): LowRank | null => {
    const module = lora?.modules.get(path);
    if (!module) return null;
    const [outSize, inSize] = parameter(`${path}.weight`).shape as [number, number];
    const names = loraNames(path);
    const a = input(names.a, 'float32', [module.r, inSize]);
    const b = input(names.b, 'float32', [outSize, module.r]);
    parameters.set(names.a, a);
    parameters.set(names.b, b);
    return { a, b, r: module.r, scale: module.scale, dropoutOffset: dropoutOffset(adapted++) };
  };

  const embedded = gatherRows(parameter('model.embed_tokens.weight'), tokens);
  let hidden = embedded;
  for (let index = 0; index < config.numLayers; index++) {
    const prefix = `model.layers.${index}`;
    const adapters = new Map<string, LowRank | null>();
    const adapterOf = (path: string): LowRank | null => {
      if (!adapters.has(path)) adapters.set(path, adapter(path));
      return adapters.get(path)!;
    };
    const projectAll = (x: Tensor, names: readonly string[]): Tensor[] => {
      const paths = names.map((name) => `${prefix}.${name}`);
      const updates = paths.map(adapterOf);
      const narrow = narrowed(x, updates, lora?.dropout ?? 0, shareProducts);
      return paths.map((path, i) => {
        const update = updates[i];
        const bias = parameters.get(`${path}.bias`);
        let y = linear(x, parameter(`${path}.weight`));
        if (update) y = add(y, gemm(narrow.get(update)!, update.b, false, true, update.scale));
        return bias ? add(y, bias) : y;
      });
    };
    const attend = attention(index);
    const context: LayerContext = {
      config,
      norm: (x, name) => rmsNorm(x, parameter(`${prefix}.${name}.weight`), config.rmsNormEps),
      project: (x, name) => projectAll(x, [name])[0]!,
      projectAll,
      rotate: (x) => reshape(rotary(reshape(x, [1, N, x.shape[1]!]), positions, cos, sin), x.shape),
      attend: (q, k, v) => attend(q, k, v, config.slidingWindow[index] ?? null),
    };
    hidden = region(hidden, (x) => layers[config.family](x, context), { recompute });
  }
  return {
    embedded,
    hidden: rmsNorm(hidden, parameter('model.norm.weight'), config.rmsNormEps),
    head: parameter(config.tieWordEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight'),
    parameters,
  };
}

/** The adapter of one projection in the graph. */
interface LowRank {
  /** [r, in] */
  readonly a: Tensor;
  /** [out, r] */
  readonly b: Tensor;
  readonly r: number;
  readonly scale: number;
  readonly dropoutOffset: number;
}

/**
 * A x of each adapter, [N, r]. A product so narrow takes as long to arrange its operands as to multiply, in the backward
 * pass too: where they are shared, all the rows of A are in one. Dropout gives each adapter an input of its own.
 */
function narrowed(
  x: Tensor,
  adapters: readonly (LowRank | null)[],
  dropout: number,
  shareProducts: boolean,
): ReadonlyMap<LowRank, Tensor> {
  const present = adapters.filter((adapter) => adapter !== null);
  if (dropout > 0 || !shareProducts || present.length === 0) {
    const [N, size] = x.shape as [Dim, number];
    const dropped = ({ dropoutOffset }: LowRank): Tensor =>
      dropout > 0 ? multiply(x, dropoutMask(N, size, dropoutOffset)) : x;
    return new Map(present.map((adapter) => [adapter, linear(dropped(adapter), adapter.a)]));
  }
  const matrices = present.map(({ a }) => a);
  const ranks = present.map(({ r }) => r);
  const parts = split(linear(x, concat(matrices, 0)), 1, ranks);
  return new Map(present.map((adapter, i) => [adapter, parts[i]!]));
}

/** A multiple of a prime below `dropoutSpread`, so that neighbouring projections read far apart. */
const dropoutOffset = (index: number): number => (index * 40_503) % dropoutSpread;

/** [N, size] of 0 or 1/(1 − p), cut from the pool `dropout`. */
function dropoutMask(N: Dim, size: number, offset: number): Tensor {
  const pool = input('dropout', 'float32', [symbol('P')]);
  return reshape(slice(pool, 0, offset, addDims(offset, multiplyDims(N, size))), [N, size]);
}
