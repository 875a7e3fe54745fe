import { afterAll, describe, expect, it } from 'vitest';
import { type Batch, defineLoss, type LocalEngineOptions, type Loss } from '../../src/engine/index.js';
import { type Compute, createCompute } from '../../src/engine/local/compute.js';
import { exp, multiply, negate, subtract, sum } from '../../src/graph/index.js';
import { crossEntropy } from '../../src/methods/sft.js';
import { parseModelConfig } from '../../src/models/index.js';
import { tinyConfigJson } from '../models/tiny-config.js';
import { batchOf, part } from './conformance.js';
import { relativeError, testOptions } from './golden-batch.js';

const vocabSize = 40;
const model = {
  config: parseModelConfig(
    tinyConfigJson({ vocab_size: vocabSize, hidden_size: 16, intermediate_size: 24, max_position_embeddings: 1024 }),
    'config.json',
  ),
  seed: 5,
};
const options = (extra: Partial<LocalEngineOptions> = {}): LocalEngineOptions => testOptions('', { model, ...extra });

/** From one token to several attention blocks, with lengths on both sides of the blocks' bounds. */
const lengths = [5, 64, 1, 130, 65, 600, 8];
const batch = batchOf(lengths, vocabSize);

/** Its gradient depends on the log-probabilities, so that the head cannot know it beforehand. */
const ratio: Loss = defineLoss({
  name: 'ratio',
  inputs: ['weights', 'reference'],
  build: ({ logprobs, inputs }) => ({
    loss: negate(sum(multiply(inputs.weights, exp(multiply(0.1, subtract(logprobs, inputs.reference)))))),
  }),
});

interface Outcome {
  readonly loss: number;
  readonly logprobs: readonly Float32Array[];
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

const opened: Compute[] = [];
async function open(extra: Partial<LocalEngineOptions> = {}, limits?: Parameters<typeof createCompute>[1]) {
  const compute = await createCompute(options(extra), limits);
  opened.push(compute);
  return compute;
}
afterAll(async () => {
  for (const compute of opened) await compute.dispose();
});

const names = [
  'model.embed_tokens.weight',
  'lm_head.weight',
  'model.norm.weight',
  ...['input_layernorm', 'self_attn.q_proj', 'self_attn.v_proj', 'self_attn.o_proj', 'mlp.down_proj'].flatMap((name) =>
    [0, 1].map((layer) => `model.layers.${layer}.${name}.weight`),
  ),
];

/** The accumulated gradient and the sum of the losses over micro-batches. */
async function accumulate(compute: Compute, microBatches: readonly Batch[], loss: Loss): Promise<Outcome> {
  let total = 0;
  const logprobs: Float32Array[] = [];
  for (const microBatch of microBatches) {
    const result = await compute.forwardBackward(microBatch, loss);
    total += result.loss;
    logprobs.push(...result.logprobs);
  }
  const gradients = new Map(names.map((name) => [name, compute.gradient(name)!.slice()]));
  // A rate of 0 leaves the weights as they are and clears the gradient.
  await compute.optimStep({ learningRate: 0, beta1: 0.9, beta2: 0.9, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 0 });
  return { loss: total, logprobs, gradients };
}

function expectSame(actual: Outcome, expected: Outcome): void {
  expect(Math.abs(actual.loss - expected.loss)).toBeLessThan(1e-5 * Math.abs(expected.loss));
  actual.logprobs.forEach((row, i) => {
    expect(relativeError(row, expected.logprobs[i]!), `log-probabilities ${i}`).toBeLessThan(1e-5);
  });
  for (const [name, gradient] of expected.gradients) {
    expect(relativeError(actual.gradients.get(name)!, gradient), name).toBeLessThan(1e-5);
  }
}

describe.each([crossEntropy, ratio])('the same loss and gradients ($name)', (loss) => {
  const whole = open().then((compute) => accumulate(compute, [batch], loss));

  it('one by one', async () => {
    const compute = await open();
    const single = lengths.map((_, i) => part(batch, i, i + 1));
    expectSame(await accumulate(compute, single, loss), await whole);
  });

  it.each([[[2, 7]], [[3, 4, 7]], [[1, 5, 6, 7]]])('in micro-batches that end at %j', async (ends) => {
    const compute = await open();
    const microBatches = ends.map((end, i) => part(batch, i === 0 ? 0 : ends[i - 1]!, end));
    expectSame(await accumulate(compute, microBatches, loss), await whole);
  });

  it('in another order', async () => {
    const compute = await open();
    const order = [3, 0, 6, 5, 2, 4, 1];
    const shuffled: Batch = {
      ...batch,
      sequences: order.map((i) => batch.sequences[i]!),
      inputs: Object.fromEntries(
        Object.entries(batch.inputs).map(([name, column]) => [name, order.map((i) => column[i]!)]),
      ),
    };
    const { logprobs, ...rest } = await accumulate(compute, [shuffled], loss);
    const restored = lengths.map((_, i) => logprobs[order.indexOf(i)]!);
    expectSame({ ...rest, logprobs: restored }, await whole);
  });

  it('with padding after a sequence that is not wanted', async () => {
    const compute = await open();
    const pad = <T extends Int32Array | Uint8Array | Float32Array>(values: T, filler: number): T => {
      const padded = new (values.constructor as new (length: number) => T)(values.length + 11).fill(filler) as T;
      padded.set(values);
      return padded;
    };
    const padded: Batch = {
      ...batch,
      sequences: batch.sequences.map(({ tokens, targets, wanted }) => ({
        tokens: pad(tokens, 7),
        targets: pad(targets, 3),
        wanted: pad(wanted, 0),
      })),
      inputs: Object.fromEntries(
        Object.entries(batch.inputs).map(([name, column]) => [name, column.map((values) => pad(values, 5))]),
      ),
    };
    const { logprobs, ...rest } = await accumulate(compute, [padded], loss);
    const cut = logprobs.map((row, i) => row.subarray(0, lengths[i]!));
    expectSame({ ...rest, logprobs: cut }, await whole);
  });

  it('with the log-probabilities in many chunks', async () => {
    const compute = await open({}, { logitBytes: 1, prefillTokens: 2048 });
    expectSame(await accumulate(compute, [batch], loss), await whole);
  });

  it('with gradient checkpointing, in one chunk and in many', async () => {
    const one = await open({ gradientCheckpointing: true });
    expectSame(await accumulate(one, [batch], loss), await whole);
    const many = await open({ gradientCheckpointing: true }, { logitBytes: 1, prefillTokens: 2048 });
    expectSame(await accumulate(many, [batch], loss), await whole);
  });

  it('with more threads', async () => {
    const compute = await open({ threads: 2 });
    expectSame(await accumulate(compute, [batch], loss), await whole);
  });
});

describe('LoRA', () => {
  const adapter = { r: 2, alpha: 4, dropout: 0, targetModules: ['q_proj', 'v_proj', 'down_proj'], useRslora: false };
  const gradients = async (microBatches: readonly Batch[], dropout: number, gradientCheckpointing: boolean) => {
    const compute = await open({ train: 'lora', adapter: { ...adapter, dropout }, gradientCheckpointing });
    for (const microBatch of microBatches) await compute.forwardBackward(microBatch, crossEntropy);
    // B is zero at first, and with it the gradient of A.
    return [0, 1].map((layer) => compute.gradient(`model.layers.${layer}.mlp.down_proj.lora_B.weight`)!);
  };

  it('has the same gradients in any micro-batches, and with gradient checkpointing', async () => {
    const whole = await gradients([batch], 0, false);
    const split = await gradients([part(batch, 0, 3), part(batch, 3, 7)], 0, true);
    whole.forEach((gradient, layer) => {
      expect(relativeError(split[layer]!, gradient)).toBeLessThan(1e-5);
    });
  });

  it('drops the same inputs when a layer is rebuilt in the backward pass', async () => {
    const kept = await gradients([batch], 0.4, false);
    const rebuilt = await gradients([batch], 0.4, true);
    const without = await gradients([batch], 0, false);
    kept.forEach((gradient, layer) => {
      expect(relativeError(rebuilt[layer]!, gradient)).toBeLessThan(1e-5);
      expect(relativeError(without[layer]!, gradient)).toBeGreaterThan(1e-2);
    });
  });
});

it('a loss that does not depend on the log-probabilities is refused', async () => {
  const constant = defineLoss({
    name: 'constant',
    inputs: ['weights'],
    needsEntropy: true,
    build: ({ inputs, entropy }) => ({ loss: sum(multiply(inputs.weights, entropy)) }),
  });
  const compute = await createCompute(options());
  opened.push(compute);
  await expect(compute.forwardBackward(batch, constant)).rejects.toThrow(
    'engine: the loss constant has no gradient: it does not depend on the log-probabilities',
  );
});
