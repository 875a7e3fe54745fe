import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Compute, createCompute } from '../../src/engine/local/compute.js';
import { crossEntropy } from '../../src/methods/sft.js';
import { golden, readGolden } from '../golden/read-golden.js';
import { goldenBatch, goldenModelPath, relativeError, testOptions } from './golden-batch.js';

const models = [
  'llama',
  'llama-linear-tied',
  'llama-llama3-bias',
  'llama-yarn',
  'mistral-window',
  'qwen2-tied',
  'qwen3',
];

describe.each(models)('%s against transformers', (model) => {
  const tensors = readGolden(`models/${model}/golden.safetensors`);
  const parameters = [...tensors.keys()].filter((name) => name.startsWith('grad.')).map((name) => name.slice(5));

  describe.each([false, true])('gradient checkpointing %s', (gradientCheckpointing) => {
    let compute: Compute;
    beforeAll(async () => {
      compute = await createCompute(testOptions(goldenModelPath(model), { gradientCheckpointing }));
    });
    afterAll(() => compute.dispose());

    it('gives the log-probabilities and entropies, together and one by one', async () => {
      const packed = await compute.forward(goldenBatch(model), { entropy: true });
      for (const i of [0, 1, 2]) {
        const alone = await compute.forward(goldenBatch(model, [i]), { entropy: true });
        for (const [got, name] of [
          [packed.logprobs[i]!, 'logprobs'],
          [alone.logprobs[0]!, 'logprobs'],
          [packed.entropy![i]!, 'entropy'],
          [alone.entropy![0]!, 'entropy'],
        ] as const) {
          expect(relativeError(got, golden(tensors, `${name}.${i}`).data), `${name}.${i}`).toBeLessThan(1e-4);
        }
      }
    });

    it('gives the loss and the gradient of every parameter', async () => {
      const result = await compute.forwardBackward(goldenBatch(model), crossEntropy);
      const expected = golden(tensors, 'loss').data[0]!;
      expect(Math.abs(result.loss - expected) / expected).toBeLessThan(1e-5);
      for (const name of parameters) {
        const error = relativeError(compute.gradient(name)!, golden(tensors, `grad.${name}`).data);
        expect(error, name).toBeLessThan(1e-3);
      }
    });
  });
});
