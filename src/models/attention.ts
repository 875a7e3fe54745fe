import {
  add,
  addDims,
  concat,
  type Dim,
  input,
  matmul,
  multiply,
  multiplyDims,
  permuteRows,
  reshape,
  slice,
  softmax,
  split,
  subtract,
  sum,
  swapLast,
  symbol,
  type Tensor,
  transpose,
  withGradient,
} from '../graph/index.js';
import type { ModelConfig } from './config.js';

// Shape suffixes: N tokens of the batch (no padding), B sequences, C tokens of a query block, S = blocks·C,
// H query heads, K key-value heads, G = H/K, D head size.

/** Attention of one layer: q [N, H·D], k and v [N, K·D], already rotated → [N, H·D]. */
export type Attention = (q: Tensor, k: Tensor, v: Tensor, window: number | null) => Tensor;

export const maskName = (window: number | null): string => (window === null ? 'mask' : `mask:${window}`);

/** Sequences that reach query block `block`; the first block has all of them. */
export const rowsSymbol = (block: number): string => (block === 0 ? 'B' : `B${block}`);

/** How the sequences of a batch are cut for attention; part of the graph's structure. */
export interface BlockShape {
  /** Query blocks that the longest sequence is cut into. */
  readonly blocks: number;
  /** Every sequence reaches the last block, so that no block has to leave sequences out. */
  readonly uniform: boolean;
}

/**
 * Causal attention over sequences of different lengths in which the linear layers see no padding.
 *
 * Sequences are ordered by falling length and cut into query blocks of C tokens. Block i of the sequences that reach it
 * attends to their keys before its end, so work follows each sequence's own length, no [S, S] matrix exists, and what is
 * packed beside a sequence cannot touch it. Rows past a sequence's end hold another token's values; causality keeps them
 * away from real tokens and `keep` stops their gradient.
 */
export function blockAttention(config: ModelConfig, { blocks, uniform }: BlockShape): Attention {
  const { numKeyValueHeads: K, headDim: D } = config;
  const G = config.numHeads / K;
  const [N, B, C] = ['N', 'B', 'C'].map(symbol) as [Dim, Dim, Dim];
  const S = multiplyDims(blocks, C);
  const rows = Array.from({ length: blocks }, (_, i) => symbol(uniform ? 'B' : rowsSymbol(i)));
  const R = addDims(...rows.map((count) => multiplyDims(count, C)));

  const queryIndex = input('query.index', 'int64', [R]);
  const queryInverse = input('query.inverse', 'int64', [N]);
  const queryKeep = input('query.keep', 'float32', [R, 1]);
  const keyIndex = input('key.index', 'int64', [multiplyDims(B, S)]);
  const keyInverse = input('key.inverse', 'int64', [N]);

  const keyBlocks = (x: Tensor): Tensor =>
    transpose(reshape(permuteRows(x, keyIndex, keyInverse), [B, S, K, D]), [0, 2, 1, 3]);

  return (q, k, v, window) => {
    const mask_CS = input(maskName(window), 'float32', [C, S]);
    const queries = split(
      permuteRows(q, queryIndex, queryInverse),
      0,
      rows.map((count) => multiplyDims(count, C)),
    );
    const keys_BKSD = keyBlocks(k);
    const values_BKSD = keyBlocks(v);
    const outputs = queries.map((query, i) => {
      const count = rows[i]!;
      const end = multiplyDims(i + 1, C);
      const prefix = (x: Tensor): Tensor => slice(slice(x, 0, 0, count), 2, 0, end);
      const heads = transpose(reshape(query, [count, C, K, G, D]), [0, 2, 3, 1, 4]);
      // ONNX Runtime takes the factor into the product.
      const scaled = multiply(reshape(heads, [count, K, multiplyDims(G, C), D]), D ** -0.5);
      const mask = slice(mask_CS, 1, multiplyDims(blocks - i - 1, C), S);
      const mixed = attendBlock(scaled, prefix(keys_BKSD), prefix(values_BKSD), mask, G);
      const perToken = transpose(reshape(mixed, [count, K, G, C, D]), [0, 3, 1, 2, 4]);
      return reshape(perToken, [multiplyDims(count, C), config.numHeads * D]);
    });
    return permuteRows(concat(outputs, 0), queryInverse, queryIndex, queryKeep);
  };
}

/**
 * softmax(q kᵀ + mask) v of one query block: q [count, K, G·C, D], k and v [count, K, end, D], mask [C, end]. The sum that
 * softmax's gradient needs of each row is taken from the row's result, as long as a head and not as the keys (Dao et al.
 * 2022).
 */
function attendBlock(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, G: number): Tensor {
  const scores = matmul(q, swapLast(k));
  const [count, K] = scores.shape as [Dim, Dim];
  const masked = add(reshape(scores, [count, K, G, ...mask.shape]), mask);
  const weights = reshape(softmax(masked), scores.shape);
  const mixed = matmul(weights, v);
  return withGradient(mixed, [q, k, v], (g) => {
    const rowSums = sum(multiply(g, mixed), [-1], { keep: true });
    const gradient = multiply(weights, subtract(matmul(g, swapLast(v)), rowSums));
    return [matmul(gradient, k), matmul(swapLast(gradient), q), matmul(swapLast(weights), g)];
  });
}
