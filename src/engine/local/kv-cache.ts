import type { ModelConfig } from '../../models/index.js';

/**
 * Keys and values of the sequences being decoded: for each layer one array [slots, K, T, D] in which the active slots
 * come first, so that the arrays of the active ones are a view without a copy. T grows and shrinks in steps with the
 * longest active sequence: attention reads what is there, not what might be.
 */
export interface KvCache {
  readonly active: number;
  /** T: positions there is room for. */
  readonly capacity: number;
  /** Tokens held by each active slot. */
  readonly lengths: readonly number[];
  /** Opens a slot with the keys and values of a prompt, each [length, K·D] inside a longer array, one a layer. */
  open(prompt: PromptKeyValues): number;
  /** Rows [active·K] of the arrays, taken as [active·K·T, D], in which the next token of every active slot belongs. */
  nextRows(): BigInt64Array;
  /** Counts the tokens written into those rows. */
  advance(): void;
  /** Frees a slot; the last active one moves into its place. Returns the number of the slot that moved. */
  close(slot: number): number;
  /** Makes room for one more token in every slot. */
  reserve(): void;
  keys(layer: number): Float32Array;
  values(layer: number): Float32Array;
}

export interface PromptKeyValues {
  readonly length: number;
  readonly keys: readonly Float32Array[];
  readonly values: readonly Float32Array[];
}

const growth = 32;
const roundUp = (value: number): number => Math.max(growth, Math.ceil(value / growth) * growth);

/** Room for `slots` sequences of up to `longest` tokens; memory is only touched as far as it is used. */
export function createKvCache(config: ModelConfig, slots: number, longest: number): KvCache {
  const { numLayers, numKeyValueHeads: K, headDim: D } = config;
  const most = roundUp(longest);
  const stores = Array.from({ length: 2 }, () =>
    Array.from({ length: numLayers }, () => new Float32Array(slots * K * most * D)),
  );
  let capacity = 0;
  const lengths: number[] = [];

  /** Moves the rows of the active slots apart or together, in the order in which none is overwritten before it moved. */
  const resize = (needed: number): void => {
    const next = roundUp(needed);
    if (next === capacity) return;
    if (next > most) throw new Error(`kv-cache: ${needed} tokens in a cache for ${longest}`);
    const rows = lengths.length * K;
    const kept = Math.min(capacity, next) * D;
    const [from, to] = [capacity * D, next * D];
    for (const store of stores.flat()) {
      for (let i = 0; i < rows; i++) {
        const row = next > capacity ? rows - 1 - i : i;
        store.copyWithin(row * to, row * from, row * from + kept);
      }
    }
    capacity = next;
  };

  const view = (side: number, layer: number): Float32Array =>
    stores[side]![layer]!.subarray(0, lengths.length * K * capacity * D);

  return {
    get active() {
      return lengths.length;
    },
    get capacity() {
      return capacity;
    },
    get lengths() {
      return lengths;
    },
    open({ length, keys, values }) {
      const slot = lengths.length;
      if (slot >= slots) throw new Error('kv-cache: no slot is free');
      if (length > capacity) resize(length);
      [keys, values].forEach((side, s) => {
        side.forEach((source, layer) => {
          const store = stores[s]![layer]!;
          for (let t = 0; t < length; t++) {
            for (let head = 0; head < K; head++) {
              const from = (t * K + head) * D;
              store.set(source.subarray(from, from + D), ((slot * K + head) * capacity + t) * D);
            }
          }
        });
      });
      lengths.push(length);
      return slot;
    },
    nextRows() {
      const at = (row: number): number => row * capacity + lengths[Math.floor(row / K)]!;
      return BigInt64Array.from({ length: lengths.length * K }, (_, row) => BigInt(at(row)));
    },
    advance() {
      for (let slot = 0; slot < lengths.length; slot++) lengths[slot]!++;
    },
    close(slot) {
      const last = lengths.length - 1;
      if (slot !== last) {
        const size = K * capacity * D;
        for (const side of stores) {
          for (const store of side) store.copyWithin(slot * size, last * size, (last + 1) * size);
        }
        lengths[slot] = lengths[last]!;
      }
      lengths.pop();
      return last;
    },
    reserve() {
      const longest = Math.max(1, ...lengths);
      if (longest >= capacity || roundUp(longest + 1) * 2 <= capacity) resize(longest + 1);
    },
    keys: (layer) => view(0, layer),
    values: (layer) => view(1, layer),
  };
}
