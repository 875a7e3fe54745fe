import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseModelConfig } from '../../src/models/index.js';
import { goldenPath, readGoldenJson } from '../golden/read-golden.js';
import { tinyConfigJson } from './tiny-config.js';

const parse = (changes: Record<string, unknown> = {}) => parseModelConfig(tinyConfigJson(changes), 'config.json');

describe('defaults of keys that config.json leaves out', () => {
  it('llama', () => {
    const config = parse({ num_key_value_heads: undefined, max_position_embeddings: undefined });
    expect(config).toMatchObject({
      family: 'llama',
      numKeyValueHeads: 2,
      headDim: 4,
      rmsNormEps: 1e-6,
      maxPositionEmbeddings: 2048,
      tieWordEmbeddings: false,
      qkvBias: false,
      outputBias: false,
      mlpBias: false,
      qkNorm: false,
      slidingWindow: [null, null],
      rope: { type: 'default', theta: 10000 },
      initializerRange: 0.02,
    });
  });

  it('mistral: a window of 4096 in every layer, none when it is null', () => {
    const mistral = { architectures: ['MistralForCausalLM'], model_type: 'mistral' };
    expect(parse(mistral)).toMatchObject({ family: 'mistral', slidingWindow: [4096, 4096] });
    expect(parse({ ...mistral, sliding_window: null }).slidingWindow).toEqual([null, null]);
    expect(parse({ ...mistral, num_attention_heads: 8, head_dim: 2, num_key_value_heads: undefined })).toMatchObject({
      numKeyValueHeads: 8,
    });
  });

  it('qwen2: biases on q, k, v only; no window unless it is switched on', () => {
    const qwen2 = { architectures: ['Qwen2ForCausalLM'], model_type: 'qwen2' };
    expect(parse({ ...qwen2, sliding_window: 16 })).toMatchObject({
      family: 'qwen2',
      qkvBias: true,
      outputBias: false,
      slidingWindow: [null, null],
    });
    const windowed = { ...qwen2, use_sliding_window: true, sliding_window: 16 };
    expect(parse({ ...windowed, max_window_layers: 1 }).slidingWindow).toEqual([null, 16]);
    expect(parse({ ...windowed, layer_types: ['sliding_attention', 'full_attention'] }).slidingWindow).toEqual([
      16,
      null,
    ]);
  });

  it('qwen3: norms on queries and keys, heads of 128', () => {
    expect(parse({ architectures: ['Qwen3ForCausalLM'], model_type: 'qwen3' })).toMatchObject({
      family: 'qwen3',
      qkNorm: true,
      headDim: 128,
      qkvBias: false,
    });
  });

  it('attention_bias and mlp_bias of llama', () => {
    expect(parse({ attention_bias: true, mlp_bias: true })).toMatchObject({
      qkvBias: true,
      outputBias: true,
      mlpBias: true,
    });
  });

  it('model_type alone is enough', () => {
    expect(parse({ architectures: undefined }).family).toBe('llama');
  });
});

describe('rotary embeddings', () => {
  it('reads rope_theta with rope_scaling and rope_parameters alike', () => {
    const older = readdirSync(goldenPath('models'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('legacy-config.json'),
    );
    expect(older.length).toBeGreaterThan(0);
    for (const name of older) {
      const current = parseModelConfig(readGoldenJson(`models/${name.replace('legacy-', '')}`), name);
      expect(parseModelConfig(readGoldenJson(`models/${name}`), name).rope).toEqual(current.rope);
    }
  });

  it('takes `type` for `rope_type`', () => {
    expect(parse({ rope_scaling: { type: 'linear', factor: 2 } }).rope).toEqual({
      type: 'linear',
      theta: 10000,
      factor: 2,
    });
  });

  it('yarn: original length defaults to the longest position, the attention factor to 0.1 ln(factor) + 1', () => {
    expect(parse({ rope_scaling: { rope_type: 'yarn', factor: 4 } }).rope).toEqual({
      type: 'yarn',
      theta: 10000,
      factor: 4,
      originalMaxPositionEmbeddings: 64,
      betaFast: 32,
      betaSlow: 1,
      attentionFactor: 0.1 * Math.log(4) + 1,
      truncate: true,
    });
  });
});

describe('what is refused, by name', () => {
  const refused: [string, Record<string, unknown>, RegExp][] = [
    ['an architecture', { architectures: ['LlamaForCausalML'] }, /LlamaForCausalML.*Did you mean LlamaForCausalLM/],
    ['a model type', { architectures: undefined, model_type: 'gpt2' }, /model_type gpt2.*llama, mistral, qwen2, qwen3/],
    ['no model named', { architectures: undefined, model_type: undefined }, /architectures .* or model_type/],
    ['an activation', { hidden_act: 'gelu' }, /hidden_act is "gelu"; supported: silu/],
    [
      'a RoPE type',
      { rope_scaling: { rope_type: 'yam', factor: 2 } },
      /"yam".*default, linear, llama3, yarn\. Did you mean yarn/,
    ],
    ['partial rotation', { partial_rotary_factor: 0.5 }, /partial_rotary_factor is 0.5/],
    ['RoPE per layer type', { rope_parameters: { full_attention: { rope_theta: 1 } } }, /per layer type/],
    ['quantised weights', { quantization_config: { quant_method: 'gptq' } }, /quantised .*gptq/],
    ['a missing size', { hidden_size: undefined }, /config\.json: hidden_size must be a number, but is missing/],
    ['a fractional size', { num_hidden_layers: 1.5 }, /num_hidden_layers must be a whole number/],
    [
      'heads that do not divide',
      { num_attention_heads: 3, hidden_size: 9, num_key_value_heads: 2 },
      /multiple of num_key_value_heads/,
    ],
    ['a width that heads do not divide', { hidden_size: 9 }, /hidden_size \(9\) must be a multiple/],
    ['an odd head', { head_dim: 3 }, /head_dim must be even/],
    ['a string for a flag', { tie_word_embeddings: 'yes' }, /tie_word_embeddings must be true or false, but is "yes"/],
  ];
  it.each(refused)('%s', (_, changes, message) => {
    expect(() => parse(changes)).toThrow(message);
  });

  it('something that is no object', () => {
    expect(() => parseModelConfig([], 'a/config.json')).toThrow('a/config.json must hold a JSON object');
  });
});
