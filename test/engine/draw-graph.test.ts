import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawBlocks, drawInGraph } from '../../src/engine/local/draw-graph.js';
import { createProgram } from '../../src/engine/local/runtime.js';
import { compile, input, symbol } from '../../src/graph/index.js';

const cpu = { device: 'cpu', threads: 1 } as const;

describe.each([1, 7, 96, 997, 1024])('drawing in the graph from a vocabulary of %i', (vocabSize) => {
  const B = symbol('B');
  const graph = compile({
    ...drawInGraph(
      input('p', 'float32', [B, vocabSize]),
      input('u', 'float32', [B, 1]),
      input('firstRows', 'int64', [B]),
      vocabSize,
    ),
  });

  it('takes the token at which the cumulative distribution passes u', async () => {
    const program = await createProgram(graph, cpu);
    const cell = fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.double({ min: 0.01, max: 1, noNaN: true }) },
    );
    const row = fc.record({
      weights: fc.array(cell, { minLength: vocabSize, maxLength: vocabSize }),
      certain: fc.nat(vocabSize - 1),
      u: fc.oneof(fc.constantFrom(0, 0.999_999_9), fc.double({ min: 0, max: 0.999, noNaN: true })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 4 }), async (rows) => {
        const p = new Float32Array(rows.length * vocabSize);
        rows.forEach(({ weights, certain }, b) => {
          const list = weights.map((weight, i) => (i === certain ? weight + 0.5 : weight));
          const total = list.reduce((sum, weight) => sum + weight, 0);
          p.set(
            list.map((weight) => weight / total),
            b * vocabSize,
          );
        });
        const outputs = await program.run(
          {
            p: { data: p, shape: [rows.length, vocabSize] },
            u: { data: Float32Array.from(rows, ({ u }) => u), shape: [rows.length, 1] },
            firstRows: {
              data: BigInt64Array.from(rows, (_, b) => BigInt(b * drawBlocks(vocabSize))),
              shape: [rows.length],
            },
          },
          { B: rows.length },
        );
        rows.forEach(({ u }, b) => {
          const token = Number(outputs.token!.data[b]);
          const mine = p.subarray(b * vocabSize, (b + 1) * vocabSize);
          let before = 0;
          for (let i = 0; i < token; i++) before += mine[i]!;
          expect(mine[token]).toBeGreaterThan(0);
          expect(outputs.probability!.data[b]).toBe(mine[token]);
          expect(before).toBeLessThanOrEqual(u + 3e-6);
          expect(before + mine[token]!).toBeGreaterThanOrEqual(u - 3e-6);
        });
      }),
      { numRuns: 40 },
    );
    await program.release();
  });
});
