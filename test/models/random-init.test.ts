import { describe, expect, it } from 'vitest';
import {
  fillUniform,
  linearModules,
  parameterShapes,
  parseModelConfig,
  randomWeights,
} from '../../src/models/index.js';
import { readGolden, readGoldenJson } from '../golden/read-golden.js';
import { tinyConfigJson } from './tiny-config.js';

const models = ['llama', 'llama-linear-tied', 'llama-llama3-bias', 'mistral-window', 'qwen2-tied', 'qwen3'];

describe('parameter names and shapes', () => {
  it.each(models)('%s: those of the checkpoint that transformers writes', (name) => {
    const config = parseModelConfig(readGoldenJson(`models/${name}/config.json`), name);
    const stored = readGolden(`models/${name}/model.safetensors`);
    const expected = Object.fromEntries([...stored].map(([key, tensor]) => [key, tensor.shape]));
    expect(Object.fromEntries(parameterShapes(config))).toEqual(expected);
  });

  it('linear modules are the seven projections of each layer, with the sizes of their weights', () => {
    const config = parseModelConfig(readGoldenJson('models/qwen3/config.json'), 'qwen3');
    const shapes = parameterShapes(config);
    const modules = linearModules(config);
    expect(modules).toHaveLength(7 * config.numLayers);
    for (const module of modules) expect(shapes.get(`${module.path}.weight`)).toEqual([module.out, module.in]);
  });
});

describe('random initialisation', () => {
  const config = parseModelConfig(
    tinyConfigJson({ hidden_size: 64, vocab_size: 500, attention_bias: true, initializer_range: 0.05 }),
    'config.json',
  );
  const weights = randomWeights(config, 7);

  it('draws matrices from normal(0, initializer_range); norms are 1, biases 0', () => {
    const { data } = weights.get('model.embed_tokens.weight')!;
    const mean = data.reduce((sum, x) => sum + x, 0) / data.length;
    const square = data.reduce((sum, x) => sum + x * x, 0) / data.length;
    const fourth = data.reduce((sum, x) => sum + x ** 4, 0) / data.length;
    expect(Math.abs(mean)).toBeLessThan(0.05 * 4 * data.length ** -0.5);
    expect(Math.sqrt(square) / 0.05).toBeCloseTo(1, 1);
    expect(fourth / square ** 2).toBeCloseTo(3, 0);
    expect(new Set(weights.get('model.norm.weight')!.data)).toEqual(new Set([1]));
    expect(new Set(weights.get('model.layers.0.self_attn.q_proj.bias')!.data)).toEqual(new Set([0]));
  });

  it('gives the same seed the same weights, another seed others', () => {
    const name = 'model.layers.1.mlp.up_proj.weight';
    expect(randomWeights(config, 7).get(name)!.data).toEqual(weights.get(name)!.data);
    expect(randomWeights(config, 8).get(name)!.data).not.toEqual(weights.get(name)!.data);
  });

  it('gives a parameter the same values whatever other parameters there are', () => {
    const deeper = parseModelConfig({ ...config.source, num_hidden_layers: 3 }, 'config.json');
    const name = 'model.layers.1.self_attn.q_proj.weight';
    expect(randomWeights(deeper, 7).get(name)!.data).toEqual(weights.get(name)!.data);
  });

  it('gives different parameters of one shape different values', () => {
    expect(weights.get('model.layers.0.mlp.up_proj.weight')!.data).not.toEqual(
      weights.get('model.layers.0.mlp.gate_proj.weight')!.data,
    );
  });

  it('draws uniform values within the bound, filling it', () => {
    const data = new Float32Array(2000);
    fillUniform(data, 0.25, 1, 'x');
    expect(Math.max(...data)).toBeLessThanOrEqual(0.25);
    expect(Math.min(...data)).toBeGreaterThanOrEqual(-0.25);
    expect(Math.max(...data)).toBeGreaterThan(0.24);
    expect(Math.min(...data)).toBeLessThan(-0.24);
  });
});
