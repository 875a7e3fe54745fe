import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createKvCache, type KvCache } from '../../src/engine/local/kv-cache.js';
import { parseModelConfig } from '../../src/models/index.js';
import { tinyConfigJson } from '../models/tiny-config.js';

const config = parseModelConfig(
  tinyConfigJson({ hidden_size: 12, num_attention_heads: 3, num_key_value_heads: 3 }),
  'config.json',
);
const { numLayers, numKeyValueHeads: K, headDim: D } = config;

/** A number that names one cell: which sequence, key or value, layer, position, head and component. */
const cell = (sequence: number, side: number, layer: number, t: number, head: number, d: number): number =>
  ((((sequence * 2 + side) * numLayers + layer) * 128 + t) * K + head) * D + d;

/** The sequences that a cache holds, by slot. */
interface Model {
  readonly slots: { sequence: number; length: number }[];
}

function expectHolds(cache: KvCache, model: Model): void {
  expect(cache.active).toBe(model.slots.length);
  expect([...cache.lengths]).toEqual(model.slots.map(({ length }) => length));
  for (let layer = 0; layer < numLayers; layer++) {
    [cache.keys(layer), cache.values(layer)].forEach((store, side) => {
      expect(store.length).toBe(model.slots.length * K * cache.capacity * D);
      model.slots.forEach(({ sequence, length }, slot) => {
        for (let head = 0; head < K; head++) {
          for (let t = 0; t < length; t++) {
            const at = ((slot * K + head) * cache.capacity + t) * D;
            expect(store[at]).toBe(cell(sequence, side, layer, t, head, 0));
            expect(store[at + D - 1]).toBe(cell(sequence, side, layer, t, head, D - 1));
          }
        }
      });
    });
  }
}

const rows = (count: number, value: (row: number, head: number, d: number) => number): Float32Array =>
  Float32Array.from({ length: count * K * D }, (_, i) => value(Math.floor(i / (K * D)), Math.floor(i / D) % K, i % D));

type Action =
  | { readonly kind: 'open'; readonly length: number }
  | { readonly kind: 'step' | 'close'; readonly by: number };

it('holds every sequence whole while slots open, grow, move and close', () => {
  const action: fc.Arbitrary<Action> = fc.oneof(
    fc.record({ kind: fc.constant('open' as const), length: fc.integer({ min: 1, max: 70 }) }),
    fc.record({ kind: fc.constant('step' as const), by: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ kind: fc.constant('close' as const), by: fc.nat(3) }),
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 12 }), (actions) => {
      const slots = 4;
      const cache = createKvCache(config, slots, 120);
      const model: Model = { slots: [] };
      let next = 0;
      const layers = Array.from({ length: numLayers }, (_, layer) => layer);
      for (const each of actions) {
        if (each.kind === 'open') {
          if (model.slots.length === slots) continue;
          const sequence = next++;
          const side = (s: number) =>
            layers.map((layer) => rows(each.length, (t, head, d) => cell(sequence, s, layer, t, head, d)));
          expect(cache.open({ length: each.length, keys: side(0), values: side(1) })).toBe(model.slots.length);
          model.slots.push({ sequence, length: each.length });
        } else if (each.kind === 'step') {
          for (
            let i = 0;
            i < each.by && model.slots.length > 0 && model.slots.every((slot) => slot.length < 110);
            i++
          ) {
            cache.reserve();
            const places = [...cache.nextRows()].map(Number);
            expect(places).toHaveLength(model.slots.length * K);
            for (const layer of layers) {
              [cache.keys(layer), cache.values(layer)].forEach((store, s) => {
                places.forEach((place, row) => {
                  const { sequence, length } = model.slots[Math.floor(row / K)]!;
                  for (let d = 0; d < D; d++) store[place * D + d] = cell(sequence, s, layer, length, row % K, d);
                });
              });
            }
            cache.advance();
            for (const slot of model.slots) slot.length++;
          }
        } else if (model.slots.length > 0) {
          const slot = each.by % model.slots.length;
          expect(cache.close(slot)).toBe(model.slots.length - 1);
          const last = model.slots.pop()!;
          if (slot < model.slots.length) model.slots[slot] = last;
        }
        if (next > 0) expectHolds(cache, model);
      }
    }),
    { numRuns: 60 },
  );
});

it('gives room back when long sequences have ended', () => {
  const cache = createKvCache(config, 2, 128);
  const prompt = (length: number) => {
    const side = Array.from({ length: numLayers }, () => new Float32Array(length * K * D));
    return { length, keys: side, values: side };
  };
  cache.open(prompt(5));
  cache.open(prompt(100));
  cache.reserve();
  expect(cache.capacity).toBeGreaterThan(100);
  cache.close(1);
  cache.reserve();
  expect(cache.capacity).toBeLessThan(50);
});

it('refuses one sequence too many', () => {
  const side = Array.from({ length: numLayers }, () => new Float32Array(K * D));
  const cache = createKvCache(config, 1, 4);
  cache.open({ length: 1, keys: side, values: side });
  expect(() => cache.open({ length: 1, keys: side, values: side })).toThrow(/no slot/);
});
