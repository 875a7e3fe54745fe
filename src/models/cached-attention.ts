import {
  add,
  concat,
  type Dim,
  input,
  matmul,
  multiply,
  reshape,
  softmax,
  split,
  swapLast,
  symbol,
  type Tensor,
} from '../graph/index.js';
import { type Attention, maskName } from './attention.js';
import type { ModelConfig } from './config.js';

// Shapes: B sequences, H query heads, K key-value heads, G = H/K, D head size, T positions of the cache.

/**
 * Attention of one new token a sequence over cached keys and values [B, K, T, D] and itself. `onKeyValue` receives the
 * token's own key and value [B, K, 1, D], which the caller writes into the cache: a cache that left the graph as an
 * output would be copied whole at every step.
 */
export function cachedAttention(
  config: ModelConfig,
  cache: (layer: number) => { readonly keys: Tensor; readonly values: Tensor },
  onKeyValue: (layer: number, key: Tensor, value: Tensor) => void,
): (layer: number) => Attention {
  const { numKeyValueHeads: K, headDim: D } = config;
  const G = config.numHeads / K;
  const [B, T] = ['B', 'T'].map(symbol) as [Dim, Dim];
  return (layer) => (q, k, v, window) => {
    const mask = input(maskName(window), 'float32', [B, 1, 1, T]);
    const { keys, values } = cache(layer);
    const query = reshape(multiply(q, D ** -0.5), [B, K, G, D]);
    const key = reshape(k, [B, K, 1, D]);
    const value = reshape(v, [B, K, 1, D]);
    onKeyValue(layer, key, value);
    const past = add(matmul(query, swapLast(keys)), mask);
    const present = matmul(query, swapLast(key));
    const [weightsPast, weightPresent] = split(softmax(concat([past, present], 3)), 3, [T, 1]) as [Tensor, Tensor];
    const mixed = add(matmul(weightsPast, values), multiply(weightPresent, value));
    return reshape(mixed, [B, config.numHeads * D]);
  };
}
