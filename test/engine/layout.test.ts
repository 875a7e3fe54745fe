import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkDims, chunkRows, layoutBatch, layoutInputs } from '../../src/engine/local/layout.js';
import { bindDim } from '../../src/graph/index.js';
import { maskName, parseModelConfig, ropeTables, rowsSymbol } from '../../src/models/index.js';
import { tinyConfigJson } from '../models/tiny-config.js';

const config = parseModelConfig(tinyConfigJson({ max_position_embeddings: 2048 }), 'config.json');
const rope = ropeTables(config, 1024);
const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 700 })), {
  minLength: 1,
  maxLength: 6,
});

const layOut = (sizes: readonly number[], largest = 64) =>
  layoutBatch(
    sizes.map((length, i) => ({
      tokens: new Int32Array(length).fill(i),
      targets: Int32Array.from({ length }, (_, t) => t % 12),
      wanted: Uint8Array.from({ length }, (_, t) => (t % 2 === 0 ? 1 : 0)),
    })),
    { config, rope, chunkRows: largest },
  );

describe('the layout of a batch', () => {
  it('lets each token attend to exactly its own sequence up to itself', () => {
    fc.assert(
      fc.property(lengths, (sizes) => {
        const { feeds, shape, sizes: symbols, starts } = layOut(sizes);
        const { blocks } = shape;
        const C = symbols.C!;
        const S = blocks * C;
        const mask = feeds[maskName(null)] as Float32Array;
        let slot = 0;
        const seen = new Set<number>();
        for (let block = 0; block < blocks; block++) {
          for (let row = 0; row < symbols[rowsSymbol(block)]!; row++) {
            for (let c = 0; c < C; c++, slot++) {
              if (feeds['query.keep']![slot] !== 1) continue;
              const flat = Number(feeds['query.index']![slot]);
              seen.add(flat);
              expect(Number(feeds['query.inverse']![flat])).toBe(slot);
              const sequence = starts.findLastIndex((start) => start <= flat);
              // The keys of this row before the block's end that the mask lets through.
              const end = (block + 1) * C;
              const first = starts[sequence]!;
              const attended: number[] = [];
              for (let key = 0; key < end; key++) {
                const open = mask[c * S + (blocks - block - 1) * C + key] === 0;
                if (open) attended.push(Number(feeds['key.index']![row * S + key]) - first);
              }
              const own = attended.length === flat - first + 1 && attended.every((t, i) => t === i);
              expect(own, `token ${flat} sees ${attended}`).toBe(true);
            }
          }
        }
        expect(seen.size).toBe(sizes.reduce((a, b) => a + b, 0));
      }),
      { numRuns: 10 },
    );
  });

  it('gives every symbol that its chunks and inputs need', () => {
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 100 }), (sizes, largest) => {
        const layout = layOut(sizes, largest);
        const dims = chunkDims(layout.chunks.length).map((dim) => bindDim(dim, layout.sizes));
        expect(dims).toEqual([...layout.chunks]);
        for (const { data, shape } of Object.values(layoutInputs(config, layout))) {
          expect(shape.reduce((a, b) => a * b, 1)).toBe(data.length);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('restarts positions with each sequence', () => {
    const { feeds } = layOut([3, 2]);
    const half = config.headDim / 2;
    const cos = feeds.cos as Float32Array;
    for (const [row, position] of [0, 1, 2, 0, 1].entries()) {
      expect(cos.subarray(row * half, (row + 1) * half)).toEqual(
        rope.cos.subarray(position * half, (position + 1) * half),
      );
    }
  });
});

describe('chunks of the output head', () => {
  it('add up to all rows, none above the bound, all but the last of one size', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 1, max: 700 }), (total, largest) => {
        const chunks = chunkRows(total, largest);
        expect(chunks.reduce((a, b) => a + b, 0)).toBe(total);
        for (const chunk of chunks) {
          expect(chunk).toBeGreaterThan(0);
          expect(chunk).toBeLessThanOrEqual(largest);
        }
        expect(new Set(chunks.slice(0, -1)).size).toBeLessThanOrEqual(1);
      }),
    );
  });
});
