import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Batch } from '../../src/engine/index.js';
import { type Compute, createCompute } from '../../src/engine/local/compute.js';
import { crossEntropy } from '../../src/methods/sft.js';
import { type GoldenTensor, golden, goldenPath, readGolden } from '../golden/read-golden.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { goldenBatch, goldenModelPath, relativeError, testOptions } from './golden-batch.js';

const base = goldenModelPath('llama');
const vocabSize = 96;

/** Log-probabilities of the targets from stored logits [T, V], in float64. */
function logprobsOf({ data }: GoldenTensor, targets: Int32Array): Float32Array {
  return Float32Array.from(targets, (target, t) => {
    const row = Array.from(data.subarray(t * vocabSize, (t + 1) * vocabSize));
    const largest = Math.max(...row);
    const total = row.reduce((sum, logit) => sum + Math.exp(logit - largest), 0);
    return row[target]! - largest - Math.log(total);
  });
}

describe.each(['query-value', 'all-linear', 'rslora'])('the PEFT adapter %s', (name) => {
  const tensors = readGolden(`adapters/${name}/golden.safetensors`);
  const batch: Batch = goldenBatch('llama');
  const adapter = { path: goldenPath(`adapters/${name}`) };
  const expectGolden = (rows: readonly Float32Array[], bar: number): void => {
    rows.forEach((row, i) => {
      const expected = logprobsOf(golden(tensors, `logits.${i}`), batch.sequences[i]!.targets);
      expect(relativeError(row, expected), `sequence ${i}`).toBeLessThan(bar);
    });
  };
  let compute: Compute;
  beforeAll(async () => {
    compute = await createCompute(testOptions(base, { train: 'lora', adapter }));
  });
  afterAll(() => compute.dispose());

  it('gives the log-probabilities that PEFT gives, and those of the base without it', async () => {
    expectGolden((await compute.forward(batch, {})).logprobs, 1e-4);
    const plain = readGolden('models/llama/golden.safetensors');
    const { logprobs } = await compute.forward(batch, { adapter: 'off' });
    logprobs.forEach((row, i) => {
      expect(relativeError(row, golden(plain, `logprobs.${i}`).data)).toBeLessThan(1e-4);
    });
  });

  it('gives the loss and the gradient of both factors', async () => {
    const { loss } = await compute.forwardBackward(batch, crossEntropy);
    const expected = golden(tensors, 'loss').data[0]!;
    expect(Math.abs(loss - expected)).toBeLessThan(1e-5 * expected);
    const gradients = [...tensors.keys()].filter((key) => key.startsWith('grad.'));
    expect(gradients.length).toBeGreaterThan(0);
    for (const key of gradients) {
      const parameter = key.slice('grad.base_model.model.'.length);
      expect(relativeError(compute.gradient(parameter)!, golden(tensors, key).data), key).toBeLessThan(1e-3);
    }
  });

  it('gives the same when merged into the weights', async () => {
    const merged = await createCompute(testOptions(base, { train: 'none', adapter }));
    expectGolden((await merged.forward(batch, {})).logprobs, 1e-4);
    await merged.dispose();
  });

  it('is written as it was read', async () => {
    const directory = await temporaryDirectory();
    await compute.exportModel(directory);
    const again = await createCompute(testOptions(base, { train: 'lora', adapter: { path: directory } }));
    expect((await again.forward(batch, {})).logprobs).toEqual((await compute.forward(batch, {})).logprobs);
    await again.dispose();
  });
});

it('a model that is only sampled from refuses to be trained', async () => {
  const compute = await createCompute(testOptions(base, { train: 'none' }));
  await expect(compute.forwardBackward(goldenBatch('llama'), crossEntropy)).rejects.toThrow(/train: none/);
  await compute.dispose();
});
