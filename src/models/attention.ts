import {
  add,
  addDims,
  concat,
  constantInt,
  type Dim,
  divide,
  expand,
  gatherRows,
  input,
  matmul,
  multiply,
  multiplyDims,
  padAxis,
  reshape,
  sizeOf,
  slice,
  softmax,
  split,
  subtract,
  subtractDims,
  sum,
  swapLast,
  symbol,
  type Tensor,
  withGradient,
} from '../graph/index.js';
import type { ModelConfig } from './config.js';

// Sizes: N tokens of the batch (no padding), B sequences, C tokens of a query block, S = blocks·C, H query heads,
// K key-value heads, D head size.

/** Attention of one layer: q [N, H·D], k and v [N, K·D], already rotated → [N, H·D]. */
export type Attention = (q: Tensor, k: Tensor, v: Tensor, window: number | null) => Tensor;

export const maskName = (window: number | null): string => (window === null ? 'mask' : `mask:${window}`);

/** Sequences that reach query block `block`; the first block has all of them. */
export const rowsSymbol = (block: number): string => (block === 0 ? 'B' : `B${block}`);

/** Half the tokens of a query block, C/2. */
export const halfBlockSymbol = 'half block';

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
  const { numHeads: H, numKeyValueHeads: K, headDim: D } = config;
  const [N, B, half] = ['N', 'B', halfBlockSymbol].map(symbol) as [Dim, Dim, Dim];
  const C = multiplyDims(2, half);
  const S = multiplyDims(blocks, C);
  const counts = Array.from({ length: blocks }, (_, i) => symbol(uniform ? 'B' : rowsSymbol(i)));
  const slots = counts.map((count) => multiplyDims(count, C));
  // A thread takes whole products: of an odd number, the last leaves one of two threads idle. Each is then halved by rows.
  const parts = K % 2 === 0 ? 1 : 2;
  const rows = multiplyDims(H / K, parts === 1 ? C : half);

  const queryIndex = split(input('query.index', 'int64', [addDims(...slots)]), 0, slots);
  const queryKeep = split(input('query.keep', 'float32', [addDims(...slots), 1]), 0, slots);
  const queryInverse = slotsOfHeads(input('query.inverse', 'int64', [N]), H, C);
  const keyIndex = rowsOfHeads(input('key.index', 'int64', [multiplyDims(B, S)]), [B, K, S]);
  const keyInverse = slotsOfHeads(input('key.inverse', 'int64', [N]), K, S);
  const cuts = counts.map((count, i) => {
    const end = multiplyDims(i + 1, C);
    const keep = expand(reshape(queryKeep[i]!, [count, 1, C, 1]), [count, H, C, 1]);
    return {
      queries: reshape(rowsOfHeads(queryIndex[i]!, [count, H, C]), [count, K, parts, rows]),
      keep: reshape(keep, [count, K, parts, rows, 1]),
      keys: reshape(slice(slice(keyIndex, 0, 0, count), 2, 0, end), [count, K, 1, end]),
      scoresByHead: [count, H, C, end],
      /** [count, K, parts, end, D], summed over the parts, among zeros for the keys that the block does not see. */
      toAllKeys(gradient: Tensor): Tensor {
        const summed = parts === 1 ? reshape(gradient, [count, K, end, D]) : sum(gradient, [2]);
        return padAxis(padAxis(summed, 2, 0, subtractDims(S, end)), 0, 0, subtractDims(B, count));
      },
    };
  });
  // A gather of heads puts them into their blocks at once: no transpose has to follow.
  const gatherHeads = (x: Tensor, index: Tensor): Tensor =>
    gatherRows(reshape(x, [multiplyDims(N, (x.shape[1] as number) / D), D]), index);
  const gatherTokens = (x: Tensor, inverse: Tensor): Tensor => {
    const [count, ...others] = x.shape.slice(0, -1);
    const perToken = gatherRows(reshape(x, [multiplyDims(count!, ...others), D]), inverse);
    return reshape(perToken, [N, (inverse.shape[1] as number) * D]);
  };

  return (q, k, v, window) => {
    const mask_CS = input(maskName(window), 'float32', [C, S]);
    const attended = cuts.map(({ queries, keys, scoresByHead }, i) => {
      // ONNX Runtime takes the factor into the products.
      const query = multiply(gatherHeads(q, queries), D ** -0.5);
      const key = gatherHeads(k, keys);
      const value = gatherHeads(v, keys);
      const scores = matmul(query, swapLast(key));
      const mask = slice(mask_CS, 1, multiplyDims(blocks - i - 1, C), S);
      const weights = reshape(softmax(add(reshape(scores, scoresByHead), mask)), scores.shape);
      return { query, key, value, weights, mixed: matmul(weights, value) };
    });
    const mixed = attended.map((block) => block.mixed);
    return withGradient(gatherTokens(concat(mixed, 0), queryInverse), [q, k, v], (g) => {
      const gradients = attended.map(({ query, key, value, weights, mixed }, i) => {
        const { queries, keep, toAllKeys } = cuts[i]!;
        const arrived = multiply(gatherHeads(g, queries), keep);
        // As long as a head and not as the keys (Dao et al. 2022).
        const rowSums = sum(multiply(arrived, mixed), [-1], { keep: true });
        const ofScores = multiply(weights, subtract(matmul(arrived, swapLast(value)), rowSums));
        return {
          q: multiply(matmul(ofScores, key), D ** -0.5),
          k: toAllKeys(matmul(swapLast(ofScores), query)),
          v: toAllKeys(matmul(swapLast(weights), arrived)),
        };
      });
      return [
        gatherTokens(
          concat(
            gradients.map((block) => block.q),
            0,
          ),
          queryInverse,
        ),
        gatherTokens(gradients.map((block) => block.k).reduce(add), keyInverse),
        gatherTokens(gradients.map((block) => block.v).reduce(add), keyInverse),
      ];
    });
  };
}

const numbersTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Rows, in x [tokens·heads, D], of the heads of `tokens` [B·S]: [B, heads, S]. */
function rowsOfHeads(tokens: Tensor, shape: readonly [Dim, number, Dim]): Tensor {
  const [B, heads, S] = shape;
  const first = multiply(reshape(tokens, [B, 1, S]), constantInt([heads]));
  return add(first, constantInt(numbersTo(heads), [heads, 1]));
}

/** Rows, in x [B·heads·S, D], of the heads of tokens [N] that have the given slots in [B·S]: [N, heads]. */
function slotsOfHeads(slots: Tensor, heads: number, S: Dim): Tensor {
  const size = sizeOf([S], 'int64');
  const before = multiply(divide(slots, size), multiply(size, constantInt([heads - 1], [])));
  const first = reshape(add(slots, before), [...slots.shape, 1]);
  return add(first, multiply(size, constantInt(numbersTo(heads))));
}
