import {
  add,
  clamp,
  constant,
  constantInt,
  cumulativeSum,
  type Dim,
  divide,
  floorToInt,
  gatherRows,
  greater,
  minimum,
  multiply,
  multiplyDims,
  pick,
  reshape,
  slice,
  subtract,
  sum,
  type Tensor,
  where,
} from '../../graph/index.js';

/** Keeps a draw below the sum of rounded probabilities, so that it always falls on a token that has one. */
const inside = 1 - 1e-6;

/**
 * Draws from probabilities [B, V] by `u` [B, 1] in [0, 1): the first token at which the cumulative distribution passes
 * u, found in two levels of about √V so that no [B, V] result leaves the graph. `firstRows` [B] holds the number of each
 * row's first block, row · blocks. Returns token numbers and their probabilities, [B].
 */
export function drawInGraph(
  probabilities: Tensor,
  u: Tensor,
  firstRows: Tensor,
  vocabSize: number,
): { readonly token: Tensor; readonly probability: Tensor } {
  const B = probabilities.shape[0]!;
  const blocks = drawBlocks(vocabSize);
  const width = vocabSize / blocks;

  const masses = sum(reshape(probabilities, [B, blocks, width]), [-1]);
  const reached = cumulativeSum(masses);
  const target = multiply(multiply(u, inside), slice(reached, 1, blocks - 1, blocks));
  const block = countPassed(reached, target, B, blocks);
  const before = sum(where(greater(reached, target), constant(0), masses), [-1]);

  const rows = gatherRows(reshape(probabilities, [multiplyDims(B, blocks), width]), add(firstRows, block));
  const within = cumulativeSum(rows);
  const share = clamp(divide(subtract(reshape(target, [B]), before), pick(masses, block)), 0, inside);
  const rest = multiply(reshape(share, [B, 1]), slice(within, 1, width - 1, width));
  const place = countPassed(within, rest, B, width);
  return { token: add(multiply(block, constantInt([width])), place), probability: pick(rows, place) };
}

/** How many of the running sums [B, n] are at most the target [B, 1], but at most n − 1. */
function countPassed(sums: Tensor, target: Tensor, B: Dim, n: number): Tensor {
  const passed = sum(where(greater(sums, target), constant(0), constant(1)), [-1]);
  return floorToInt(reshape(minimum(passed, n - 1), [B]));
}

/** Blocks that the vocabulary is cut into: of one size, the largest divisor up to 512. */
export function drawBlocks(vocabSize: number): number {
  for (let width = Math.min(512, vocabSize); width > 1; width--) if (vocabSize % width === 0) return vocabSize / width;
  return vocabSize;
}
