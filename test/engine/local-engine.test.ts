import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, type LocalEngine, type SamplingParams } from '../../src/engine/index.js';
import { crossEntropy } from '../../src/methods/sft.js';
import { parseModelConfig } from '../../src/models/index.js';
import { golden, readGolden } from '../golden/read-golden.js';
import { temporaryDirectory } from '../models/temporary-directory.js';
import { tinyConfigJson } from '../models/tiny-config.js';
import { batchOf, plainSampling } from './conformance.js';
import { goldenModelPath, testOptions } from './golden-batch.js';

const greedy: SamplingParams = { ...plainSampling, maxTokens: 12, temperature: 0 };

describe.each(['llama', 'qwen3'])('sampling from %s in the worker', (model) => {
  const tensors = readGolden(`models/${model}/golden.safetensors`);
  let engine: LocalEngine;
  beforeAll(async () => {
    engine = await createLocalEngine(testOptions(goldenModelPath(model)));
  });
  afterAll(() => engine.dispose());

  it('continues greedily as transformers does', async () => {
    const prompt = golden(tensors, 'generate.prompt').data as Int32Array;
    const [result] = await engine.sample([{ prompt, params: greedy, seed: 0 }]);
    expect([...result!.tokens]).toEqual([...golden(tensors, 'generate.tokens').data]);
    const expected = golden(tensors, 'generate.logprobs').data;
    result!.logprobs.forEach((logprob, i) => {
      expect(logprob).toBeCloseTo(expected[i]!, 4);
    });
  });
});

describe('the control plane while the worker computes', () => {
  const config = parseModelConfig(
    tinyConfigJson({ vocab_size: 512, hidden_size: 256, intermediate_size: 512, max_position_embeddings: 2048 }),
    'config.json',
  );
  const model = { config, seed: 1 };

  it.each(['a training step', 'sampling'])('answers an HTTP request and a timer during %s', async (work) => {
    const engine = await createLocalEngine(testOptions('', { model }));
    const server = createServer((_, response) => response.end('here'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const done: string[] = [];
      const computing =
        work === 'sampling'
          ? engine.sample([{ prompt: Int32Array.of(1), params: { ...plainSampling, maxTokens: 1500 }, seed: 1 }])
          : engine.forwardBackward(batchOf([2000, 2000], 512), crossEntropy);
      const finished = computing.then(() => done.push('computed'));
      const { port } = server.address() as AddressInfo;
      const answered = fetch(`http://127.0.0.1:${port}`)
        .then((response) => response.text())
        .then((text) => done.push(text));
      const fired = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => done.push('timer'));
      await Promise.all([finished, answered, fired]);
      expect([...done].sort()).toEqual(['computed', 'here', 'timer']);
      expect(done.at(-1)).toBe('computed');
    } finally {
      server.close();
      await engine.dispose();
    }
  });
});

describe('opening an engine', () => {
  it('says what is wrong with the model', async () => {
    const directory = await temporaryDirectory();
    await expect(createLocalEngine(testOptions(directory))).rejects.toThrow(directory);
    const adapter = { r: 2, alpha: 2, dropout: 0, targetModules: ['q_prj'], useRslora: false };
    await expect(createLocalEngine(testOptions(goldenModelPath('llama'), { train: 'lora', adapter }))).rejects.toThrow(
      /q_prj.*q_proj/,
    );
  });

  it('gives the configuration and how much is trained', async () => {
    const adapter = { r: 2, alpha: 2, dropout: 0, targetModules: ['q_proj'], useRslora: false };
    const full = await createLocalEngine(testOptions(goldenModelPath('llama')));
    const lora = await createLocalEngine(testOptions(goldenModelPath('llama'), { train: 'lora', adapter }));
    const none = await createLocalEngine(testOptions(goldenModelPath('llama'), { train: 'none' }));
    const { hiddenSize, numHeads, headDim, numLayers } = full.config;
    const added = numLayers * 2 * (hiddenSize + numHeads * headDim);
    expect(full.parameterCount.trained).toBe(full.parameterCount.total);
    expect(lora.parameterCount).toEqual({ trained: added, total: full.parameterCount.total + added });
    expect(none.parameterCount).toEqual({ trained: 0, total: full.parameterCount.total });
    await Promise.all([full, lora, none].map((engine) => engine.dispose()));
  });
});

it('loads only a state that fits', async () => {
  const directory = await temporaryDirectory();
  const path = goldenModelPath('llama');
  const adapter = { r: 2, alpha: 2, dropout: 0, targetModules: ['q_proj'], useRslora: false };
  const engine = await createLocalEngine(testOptions(path, { train: 'lora', adapter }));
  const wider = await createLocalEngine(testOptions(path, { train: 'lora', adapter: { ...adapter, r: 4 } }));
  const other = await createLocalEngine(
    testOptions(path, { train: 'lora', adapter: { ...adapter, targetModules: ['v_proj'] } }),
  );
  await engine.saveState(directory);
  await expect(wider.loadState(directory)).rejects.toThrow(/q_proj.*\[2, 32\].*\[4, 32\]/);
  await expect(other.loadState(directory)).rejects.toThrow(/v_proj/);
  await Promise.all([engine, wider, other].map((each) => each.dispose()));
});
