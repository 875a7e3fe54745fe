import { type BpeJson, TokenizerError } from './tokenizer-json.js';

/** Tokens of one piece, with the units `[starts, ends)` of the piece that each stands for. */
export interface BpeTokens {
  readonly ids: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

export interface Bpe {
  encode(piece: string): BpeTokens;
  /** Merge candidates looked at so far: a measure of work that does not depend on the machine. */
  work(): number;
}

const CACHED_LENGTH = 256;
const CACHE_SIZE = 20_000;

/**
 * Byte-pair encoding by ranked merges (Sennrich et al. 2016): the lowest rank first, the leftmost of equals.
 * A heap over the candidates makes a piece of n characters cost O(n log n), so that long unbroken text stays cheap.
 */
export function createBpe(model: BpeJson): Bpe {
  const vocab = new Map(Object.entries(model.vocab));
  for (const key of ['continuing_subword_prefix', 'end_of_word_suffix'] as const) {
    if (model[key])
      throw new TokenizerError(`tokenizer.json: model.${key} ${JSON.stringify(model[key])} is not supported.`);
  }
  const merges = mergeTable(model, vocab);
  const unk = model.unk_token == null ? null : (vocab.get(model.unk_token) ?? null);
  const byteIds = model.byte_fallback ? byteTokenIds(vocab) : null;
  const encoder = new TextEncoder();
  const cache = new Map<string, BpeTokens>();

  let capacity = 1024;
  let ids = new Int32Array(capacity);
  let starts = new Int32Array(capacity);
  let ends = new Int32Array(capacity);
  let previous = new Int32Array(capacity);
  let next = new Int32Array(capacity);
  let alive = new Uint8Array(capacity);
  let work = 0;

  const reserve = (size: number): void => {
    if (size <= capacity) return;
    while (capacity < size) capacity *= 2;
    ids = new Int32Array(capacity);
    starts = new Int32Array(capacity);
    ends = new Int32Array(capacity);
    previous = new Int32Array(capacity);
    next = new Int32Array(capacity);
    alive = new Uint8Array(capacity);
  };

  /** One symbol a character; characters outside the vocabulary become bytes or the unknown token. */
  const split = (piece: string): number => {
    let count = 0;
    let unknownEnd = -1;
    const add = (id: number, start: number, end: number): void => {
      ids[count] = id;
      starts[count] = start;
      ends[count] = end;
      count++;
    };
    for (let at = 0; at < piece.length; ) {
      const char = String.fromCodePoint(piece.codePointAt(at)!);
      const end = at + char.length;
      const id = vocab.get(char);
      if (id !== undefined) {
        add(id, at, end);
      } else {
        const bytes = byteIds ? encoder.encode(char) : null;
        if (bytes?.every((byte) => byteIds![byte]! >= 0)) {
          for (const byte of bytes) add(byteIds![byte]!, at, end);
        } else if (model.unk_token != null) {
          if (unk === null) {
            throw new TokenizerError(
              `tokenizer.json: ${JSON.stringify(char)} is not in the vocabulary, and neither is model.unk_token ` +
                `${JSON.stringify(model.unk_token)} that should stand for it.`,
            );
          }
          if (model.fuse_unk && unknownEnd === at) ends[count - 1] = end;
          else add(unk, at, end);
          unknownEnd = end;
        }
      }
      at = end;
    }
    return count;
  };

  const merge = (count: number): BpeTokens => {
    const queue = createQueue(() => work++);
    const offer = (at: number): void => {
      const rank = merges.rank(ids[at]!, ids[next[at]!]!);
      if (rank >= 0) queue.push(rank, at);
    };
    for (let i = 0; i < count; i++) {
      previous[i] = i - 1;
      next[i] = i + 1 < count ? i + 1 : -1;
      alive[i] = 1;
    }
    for (let i = 0; i + 1 < count; i++) offer(i);
    let left = count;
    for (let key = queue.pop(); key >= 0; key = queue.pop()) {
      const rank = Math.floor(key / POSITIONS);
      const at = key - rank * POSITIONS;
      const other = next[at]!;
      if (!alive[at] || other < 0 || merges.rank(ids[at]!, ids[other]!) !== rank) continue;
      ids[at] = merges.result[rank]!;
      ends[at] = ends[other]!;
      alive[other] = 0;
      left--;
      const after = next[other]!;
      next[at] = after;
      if (after >= 0) {
        previous[after] = at;
        offer(at);
      }
      if (previous[at]! >= 0) offer(previous[at]!);
    }
    const tokens = { ids: new Int32Array(left), starts: new Int32Array(left), ends: new Int32Array(left) };
    for (let at = 0, i = 0; i < left; at = next[at]!, i++) {
      tokens.ids[i] = ids[at]!;
      tokens.starts[i] = starts[at]!;
      tokens.ends[i] = ends[at]!;
    }
    return tokens;
  };

  const encodePiece = (piece: string): BpeTokens => {
    const whole = model.ignore_merges ? vocab.get(piece) : undefined;
    if (whole !== undefined) {
      return { ids: Int32Array.of(whole), starts: Int32Array.of(0), ends: Int32Array.of(piece.length) };
    }
    reserve(piece.length * (byteIds ? 3 : 1) + 1);
    return merge(split(piece));
  };

  return {
    encode(piece) {
      const known = cache.get(piece);
      if (known) return known;
      const tokens = encodePiece(piece);
      if (piece.length <= CACHED_LENGTH) {
        if (cache.size >= CACHE_SIZE) cache.clear();
        cache.set(piece, tokens);
      }
      return tokens;
    },
    work: () => work,
  };
}

/** Ids of `<0x00>` … `<0xFF>`, -1 where the vocabulary lacks one. */
function byteTokenIds(vocab: ReadonlyMap<string, number>): Int32Array {
  return Int32Array.from(
    { length: 256 },
    (_, byte) => vocab.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`) ?? -1,
  );
}

interface MergeTable {
  /** Rank of merging two ids, or -1. */
  rank(left: number, right: number): number;
  /** Id that each rank's merge gives. */
  readonly result: Int32Array;
}

/** Open addressing over typed arrays: a third of a million merges stay small and quick to look up. */
function mergeTable(model: BpeJson, vocab: ReadonlyMap<string, number>): MergeTable {
  const size = 1 << Math.max(4, Math.ceil(Math.log2(model.merges.length * 2 + 1)));
  const mask = size - 1;
  const lefts = new Int32Array(size).fill(-1);
  const rights = new Int32Array(size);
  const ranks = new Int32Array(size);
  const result = new Int32Array(model.merges.length);
  const slot = (left: number, right: number): number => {
    let at = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b);
    at = (at ^ (at >>> 15)) & mask;
    while (lefts[at] !== -1 && (lefts[at] !== left || rights[at] !== right)) at = (at + 1) & mask;
    return at;
  };
  model.merges.forEach((entry, rank) => {
    const [left, right] = typeof entry === 'string' ? splitMerge(entry) : entry;
    const a = vocab.get(left);
    const b = vocab.get(right);
    const merged = vocab.get(left + right);
    if (a === undefined || b === undefined || merged === undefined) {
      const missing = a === undefined ? left : b === undefined ? right : left + right;
      throw new TokenizerError(
        `tokenizer.json: model.merges[${rank}] ${JSON.stringify(entry)} needs the token ${JSON.stringify(missing)}, ` +
          'which is not in model.vocab. The file is damaged or was cut; fetch it again.',
      );
    }
    const at = slot(a, b);
    lefts[at] = a;
    rights[at] = b;
    ranks[at] = rank;
    result[rank] = merged;
  });
  return {
    rank(left, right) {
      const at = slot(left, right);
      return lefts[at] === -1 ? -1 : ranks[at]!;
    },
    result,
  };
}

function splitMerge(entry: string): [string, string] {
  const space = entry.indexOf(' ');
  return [entry.slice(0, space), entry.slice(space + 1)];
}

// A candidate is one number, rank · 2^30 + position: it orders by rank, then from the left, and fits a double exactly.
const POSITIONS = 2 ** 30;

interface Queue {
  push(rank: number, position: number): void;
  /** The smallest candidate, or -1. */
  pop(): number;
}

function createQueue(count: () => void): Queue {
  const heap: number[] = [];
  return {
    push(rank, position) {
      count();
      const key = rank * POSITIONS + position;
      let at = heap.length;
      heap.push(key);
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (heap[parent]! <= key) break;
        heap[at] = heap[parent]!;
        at = parent;
      }
      heap[at] = key;
    },
    pop() {
      if (heap.length === 0) return -1;
      const top = heap[0]!;
      const key = heap.pop()!;
      const size = heap.length;
      if (size === 0) return top;
      let at = 0;
      for (let child = 1; child < size; child = 2 * at + 1) {
        if (child + 1 < size && heap[child + 1]! < heap[child]!) child++;
        if (heap[child]! >= key) break;
        heap[at] = heap[child]!;
        at = child;
      }
      heap[at] = key;
      return top;
    },
  };
}
