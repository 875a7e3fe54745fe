import {
  add,
  type Dim,
  input,
  matmul,
  multiply,
  multiplyDims,
  replaceRows,
  reshape,
  softmax,
  swapLast,
  symbol,
  type Tensor,
} from '../graph/index.js';
import { type Attention, maskName } from './attention.js';
import type { ModelConfig } from './config.js';

// Shapes: B sequences, H query heads, K key-value heads, G = H/K, D head size, T positions of the cache.

/** Keys and values of one layer, each [B·K·T, D]: a row for each position of each head of each sequence. */
export interface LayerCache {
  readonly keys: Tensor;
  readonly values: Tensor;
}

/**
 * Attention of one new token a sequence over a cache that its own key and value are written into first, at the rows
 * `cache.rows` [B·K]; `attention.scale` is D^−½. `onWritten` receives the cache after that: a caller who binds it to the
 * memory it came from has it written in place.
 */
export function cachedAttention(
  config: ModelConfig,
  cache: (layer: number) => LayerCache,
  onWritten: (layer: number, written: LayerCache) => void,
): (layer: number) => Attention {
  const { numKeyValueHeads: K, headDim: D } = config;
  const G = config.numHeads / K;
  const [B, T] = ['B', 'T'].map(symbol) as [Dim, Dim];
  const rows = input('cache.rows', 'int64', [multiplyDims(B, K)]);
  const scale = input('attention.scale', 'float32', []);
  return (layer) => (q, k, v, window) => {
    const mask = input(maskName(window), 'float32', [B, 1, 1, 1, T]);
    const { keys, values } = cache(layer);
    const write = (x: Tensor, token: Tensor): Tensor => replaceRows(x, rows, reshape(token, [multiplyDims(B, K), D]));
    const written = { keys: write(keys, k), values: write(values, v) };
    onWritten(layer, written);
    // One row a product: its kernels read keys and values as they lie, where those for several rows pack them first.
    // They take no factor, and a constant one would be fused into the product: this one is an input.
    const query = reshape(multiply(q, scale), [B, K, G, 1, D]);
    const perHead = (x: Tensor): Tensor => reshape(x, [B, K, 1, T, D]);
    const scores = matmul(query, swapLast(perHead(written.keys)));
    const weights = softmax(add(scores, mask));
    return reshape(matmul(weights, perHead(written.values)), [B, config.numHeads * D]);
  };
}
