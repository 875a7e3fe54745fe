import { expect, it, vi } from 'vitest';
import { createCompute } from '../../src/engine/local/compute.js';
import { headName, headParts } from '../../src/engine/local/head-parts.js';
import { crossEntropy } from '../../src/methods/sft.js';
import { golden, readGolden } from '../golden/read-golden.js';
import { goldenBatch, goldenModelPath, relativeError, testOptions } from './golden-batch.js';

// Parts of a few rows, so that the small models of the golden files have a head of several.
vi.mock('../../src/models/head.js', async (original) => ({
  ...(await original<typeof import('../../src/models/head.js')>()),
  headPartRows: (vocabulary: number) =>
    Array.from({ length: Math.ceil(vocabulary / 29) }, (_, i) => Math.min(29, vocabulary - 29 * i)),
}));

it('parts are views of the same memory, one after the other', () => {
  const data = Float32Array.from({ length: 60 * 3 }, (_, i) => i);
  const parts = headParts('lm_head.weight', { data, shape: [60, 3] });
  expect(parts.map(([name, { shape }]) => [name, shape])).toEqual([
    ['lm_head.weight:0', [29, 3]],
    ['lm_head.weight:1', [29, 3]],
    ['lm_head.weight:2', [2, 3]],
  ]);
  expect(parts.flatMap(([, part]) => Array.from(part.data as Float32Array))).toEqual(Array.from(data));
  expect(parts.every(([, part]) => part.data.buffer === data.buffer)).toBe(true);
});

it.each(['llama', 'llama-linear-tied'])(
  'a head in parts has the gradients of transformers, summed too: %s',
  async (model) => {
    const tensors = readGolden(`models/${model}/golden.safetensors`);
    const compute = await createCompute(testOptions(goldenModelPath(model)));
    const gradientOf = (name: string): Float32Array => Float32Array.from(compute.gradient(name)!);
    const expected = (name: string) => golden(tensors, `grad.${name}`).data as Float32Array;
    const names = [...new Set(['model.embed_tokens.weight', headName(compute.config), 'model.norm.weight'])];
    const { loss } = await compute.forwardBackward(goldenBatch(model), crossEntropy);
    const expectedLoss = golden(tensors, 'loss').data[0]!;
    expect(Math.abs(loss - expectedLoss) / expectedLoss).toBeLessThan(1e-5);
    for (const name of names) expect(relativeError(gradientOf(name), expected(name)), name).toBeLessThan(1e-3);

    // A further micro-batch, twice: the sums.
    for (const times of [2, 3]) {
      await compute.forwardBackward(goldenBatch(model), crossEntropy);
      for (const name of names) {
        const summed = expected(name).map((value) => times * value);
        expect(relativeError(gradientOf(name), summed), `${name} × ${times}`).toBeLessThan(1e-3);
      }
    }
    await compute.dispose();
  },
);
