import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Compute, createCompute } from '../../src/engine/local/compute.js';
import { plainSampling } from './conformance.js';
import { goldenBatch, goldenModelPath, testOptions } from './golden-batch.js';

let compute: Compute;
beforeAll(async () => {
  compute = await createCompute(testOptions(goldenModelPath('llama')));
});
afterAll(() => compute.dispose());

const hooks = { aborted: () => false, onResult: () => {}, onStep: () => {} };

it.each([
  ['topP', 0],
  ['topP', 1.1],
  ['topP', Number.NaN],
  ['topK', -1],
  ['topK', 1.5],
  ['minP', -0.1],
  ['minP', 2],
  ['repetitionPenalty', 0],
  ['repetitionPenalty', -1],
  ['temperature', -1],
  ['maxTokens', 0],
])('sampling with %s %d is refused by name', async (name, value) => {
  const request = { prompt: Int32Array.of(1, 2), params: { ...plainSampling, [name]: value }, seed: 0 };
  await expect(compute.sample([request], hooks)).rejects.toThrow(`sample request 0: ${name} must be`);
});

it('a mask of wanted positions holds 0 and 1 only', async () => {
  const batch = goldenBatch('llama', [0]);
  const [sequence] = batch.sequences;
  const wanted = Uint8Array.from(sequence!.wanted, (_, t) => (t === 2 ? 2 : 1));
  await expect(compute.forward({ ...batch, sequences: [{ ...sequence!, wanted }] }, {})).rejects.toThrow(
    'sequence 0 of the batch: its mask of wanted positions holds 2',
  );
});
