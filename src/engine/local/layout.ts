import { type Dim, multiplyDims, subtractDims, symbol } from '../../graph/index.js';
import {
  type BlockShape,
  halfBlockSymbol,
  type ModelConfig,
  maskName,
  type RopeTables,
  rowsSymbol,
} from '../../models/index.js';
import { positionsSymbol, sequencesSymbol } from '../loss.js';
import type { Sequence } from '../types.js';
import type { Feed, RunInput } from './runtime.js';

/** How a batch lies in the tensors of the training graph. */
export interface Layout {
  readonly shape: BlockShape;
  /** Rows of each chunk of the output head. */
  readonly chunks: readonly number[];
  /** Values of the graph's symbols. */
  readonly sizes: Readonly<Record<string, number>>;
  readonly feeds: Readonly<Record<string, Feed>>;
  /** Flat token number of each wanted position, in order of the batch. */
  readonly wanted: Int32Array;
  /** First flat token of each sequence, and the total at the end. */
  readonly starts: Int32Array;
}

const masked = -1e9;
const chunkSymbol = 'm';

/** Blocks for the longest sequence: enough to skip most of the upper triangle, few enough that each is worth a matmul. */
function blockCount(longest: number): number {
  if (longest <= 64) return 1;
  if (longest <= 128) return 2;
  if (longest <= 512) return 4;
  return 8;
}

const roundUp = (value: number, to: number): number => Math.ceil(value / to) * to;

/**
 * The sizes of the chunks that `total` rows are cut into. Their number is a power of two, as each number makes a program of
 * its own, and a program keeps its memory.
 */
export function chunkRows(total: number, largest: number): number[] {
  const needed = Math.max(1, Math.ceil(total / largest));
  const rounded = 2 ** Math.ceil(Math.log2(needed));
  // With few rows in each, equal chunks would be used up before the last.
  const count = total > rounded * (rounded - 1) ? rounded : needed;
  const size = Math.ceil(total / count);
  return Array.from({ length: count }, (_, i) => (i < count - 1 ? size : total - size * (count - 1)));
}

export interface LayoutOptions {
  readonly config: ModelConfig;
  readonly rope: RopeTables;
  /** Most rows of logits held at once. */
  readonly chunkRows: number;
}

/** Sizes of the head's chunks, which add up to M: all but the last have the size `m`. */
export function chunkDims(count: number): Dim[] {
  const M = symbol(positionsSymbol);
  if (count === 1) return [M];
  const m = symbol(chunkSymbol);
  return [...Array.from({ length: count - 1 }, () => m), subtractDims(M, multiplyDims(count - 1, m))];
}

/** Lays the sequences of a batch out one after the other, with the index vectors that causal block attention needs. */
export function layoutBatch(sequences: readonly Sequence[], options: LayoutOptions): Layout {
  const lengths = sequences.map((sequence) => sequence.tokens.length);
  const starts = new Int32Array(sequences.length + 1);
  lengths.forEach((length, i) => {
    starts[i + 1] = starts[i]! + length;
  });
  const N = starts[sequences.length]!;
  const wanted = wantedPositions(sequences, starts);
  const chunks = chunkRows(wanted.length, options.chunkRows);
  const attention = attentionLayout(lengths, starts);
  const { C, blocks } = attention;

  const tokens = new BigInt64Array(N);
  const positions = new BigInt64Array(N);
  const half = options.config.headDim / 2;
  const cos = new Float32Array(N * half);
  const sin = new Float32Array(N * half);
  sequences.forEach((sequence, i) => {
    const start = starts[i]!;
    const length = lengths[i]!;
    for (let t = 0; t < length; t++) {
      tokens[start + t] = BigInt(sequence.tokens[t]!);
      positions[start + t] = BigInt(start + t);
    }
    cos.set(options.rope.cos.subarray(0, length * half), start * half);
    sin.set(options.rope.sin.subarray(0, length * half), start * half);
  });
  const segment = new BigInt64Array(wanted.length);
  const targets = new BigInt64Array(wanted.length);
  let m = 0;
  sequences.forEach((sequence, i) => {
    for (let t = 0; t < lengths[i]!; t++) {
      if (sequence.wanted[t] !== 1) continue;
      segment[m] = BigInt(i);
      targets[m++] = BigInt(sequence.targets[t]!);
    }
  });

  const masks = Object.fromEntries(
    [...new Set(options.config.slidingWindow)].map((window) => [maskName(window), causalMask(C, blocks, window)]),
  );
  const sizes: Record<string, number> = {
    N,
    C,
    [halfBlockSymbol]: C / 2,
    [sequencesSymbol]: sequences.length,
    [positionsSymbol]: wanted.length,
    [chunkSymbol]: chunks[0]!,
  };
  attention.rows.forEach((count, i) => {
    sizes[rowsSymbol(i)] = count;
  });
  return {
    // Batches of several sequences that happen to be about equally long get no program of their own.
    shape: { blocks, uniform: blocks === 1 || sequences.length === 1 },
    chunks,
    sizes,
    wanted,
    starts,
    feeds: {
      tokens,
      positions,
      cos,
      sin,
      segment,
      targets,
      wanted: BigInt64Array.from(wanted, BigInt),
      ...attention.feeds,
      ...masks,
    },
  };
}

/** The feeds with their shapes. */
export function layoutInputs(
  config: ModelConfig,
  { feeds, sizes, shape: { blocks } }: Layout,
): Record<string, RunInput> {
  const half = config.headDim / 2;
  const { N, C } = sizes as { N: number; C: number };
  const shapes: Readonly<Record<string, readonly number[]>> = {
    positions: [1, N],
    cos: [N, half],
    sin: [N, half],
    'query.keep': [feeds['query.keep']!.length, 1],
    ...Object.fromEntries([...new Set(config.slidingWindow)].map((window) => [maskName(window), [C, blocks * C]])),
  };
  return Object.fromEntries(
    Object.entries(feeds).map(([name, data]) => [name, { data, shape: shapes[name] ?? [data.length] }]),
  );
}

function wantedPositions(sequences: readonly Sequence[], starts: Int32Array): Int32Array {
  const positions: number[] = [];
  sequences.forEach((sequence, i) => {
    for (let t = 0; t < sequence.tokens.length; t++) if (sequence.wanted[t] === 1) positions.push(starts[i]! + t);
  });
  return Int32Array.from(positions);
}

function attentionLayout(lengths: readonly number[], starts: Int32Array) {
  const order = lengths.map((_, i) => i).sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const longest = lengths[order[0]!]!;
  const blocks = blockCount(longest);
  const C = roundUp(Math.ceil(longest / blocks), 8);
  const S = blocks * C;
  const B = lengths.length;
  const N = starts[B]!;
  const rows = Array.from({ length: blocks }, (_, block) => lengths.filter((length) => length > block * C).length);
  const R = rows.reduce((total, count) => total + count * C, 0);

  const queryIndex = new BigInt64Array(R);
  const queryInverse = new BigInt64Array(N);
  const queryKeep = new Float32Array(R);
  const keyIndex = new BigInt64Array(B * S);
  const keyInverse = new BigInt64Array(N);
  let blockStart = 0;
  rows.forEach((count, block) => {
    for (let row = 0; row < count; row++) {
      const sequence = order[row]!;
      for (let c = 0; c < C; c++) {
        const t = block * C + c;
        const slot = blockStart + row * C + c;
        if (t >= lengths[sequence]!) continue;
        const flat = starts[sequence]! + t;
        queryIndex[slot] = BigInt(flat);
        queryKeep[slot] = 1;
        queryInverse[flat] = BigInt(slot);
      }
    }
    blockStart += count * C;
  });
  order.forEach((sequence, row) => {
    for (let t = 0; t < lengths[sequence]!; t++) {
      const flat = starts[sequence]! + t;
      keyIndex[row * S + t] = BigInt(flat);
      keyInverse[flat] = BigInt(row * S + t);
    }
  });
  return {
    blocks,
    C,
    rows,
    feeds: {
      'query.index': queryIndex,
      'query.inverse': queryInverse,
      'query.keep': queryKeep,
      'key.index': keyIndex,
      'key.inverse': keyInverse,
    },
  };
}

/** [C, blocks·C] for the last query block; earlier blocks use its right-hand part, as only distances matter. */
function causalMask(C: number, blocks: number, window: number | null): Float32Array {
  const S = blocks * C;
  const mask = new Float32Array(C * S);
  for (let c = 0; c < C; c++) {
    const query = S - C + c;
    for (let key = 0; key < S; key++) {
      const seen = key <= query && (window === null || key > query - window);
      if (!seen) mask[c * S + key] = masked;
    }
  }
  return mask;
}
