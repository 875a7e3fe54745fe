import { expect, test } from 'vitest';
import { createSamplerPrograms } from '../../src/engine/local/sampler-programs.js';
import { createTrainingPrograms } from '../../src/engine/local/training-programs.js';
import { parseModelConfig } from '../../src/models/index.js';

const config = parseModelConfig(
  {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: 40,
    hidden_size: 8,
    intermediate_size: 16,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    max_position_embeddings: 64,
  },
  'config.json',
);

const request = (blocks: number) => ({
  layout: { shape: { blocks, uniform: true }, chunks: [4] },
  loss: null,
  adapterOn: true,
  entropy: false,
  tempered: false,
});

function programs(memory: () => number) {
  const runtime = { device: 'cpu', threads: 1 } as const;
  const common = { config, lora: null, trainable: new Set<string>(), recompute: false, runtime };
  return createTrainingPrograms({ ...common, memory, memoryLimit: 100 });
}

test('a program is made once while there is memory', async () => {
  const made = programs(() => 99);
  const [one, two] = [await made.get(request(1)), await made.get(request(2))];
  expect(two).not.toBe(one);
  expect(await made.get(request(1))).toBe(one);
  expect(await made.get(request(2))).toBe(two);
  await made.release();
});

test('above the limit the programs used longest ago are released first, never the one asked for', async () => {
  let resident = 0;
  const made = programs(() => resident);
  const [one, two, four] = [await made.get(request(1)), await made.get(request(2)), await made.get(request(4))];
  await made.get(request(1));
  resident = 101;
  expect(await made.get(request(2))).toBe(two);
  resident = 0;
  expect(await made.get(request(2))).toBe(two);
  expect(await made.get(request(1))).not.toBe(one);
  expect(await made.get(request(4))).not.toBe(four);
  await made.release();
});

test('no more are released than needed', async () => {
  const readings: number[] = [];
  const made = programs(() => readings.shift() ?? 0);
  const [one, two] = [await made.get(request(1)), await made.get(request(2))];
  readings.push(101, 50);
  await made.get(request(4));
  expect(await made.get(request(2))).toBe(two);
  expect(await made.get(request(1))).not.toBe(one);
  await made.release();
});

test.each(['training', 'sampling'])(
  'a program for %s that could not be made is made when asked for again',
  async (kind) => {
    let failing = true;
    const runtime = {
      device: 'cpu',
      get threads() {
        if (failing) throw new Error('no memory for a session');
        return 1;
      },
    } as const;
    const common = { config, lora: null, trainable: new Set<string>(), recompute: false, runtime };
    const training = createTrainingPrograms(common);
    const sampling = createSamplerPrograms({ ...common, frozen: new Map() });
    const get = () => (kind === 'training' ? training.get(request(1)) : sampling.decode('plain'));
    const release = () => (kind === 'training' ? training.release() : sampling.release());
    await expect(get()).rejects.toThrow('no memory for a session');
    await release();
    failing = false;
    expect((await get()).outputs.length).toBeGreaterThan(0);
    await release();
  },
);
