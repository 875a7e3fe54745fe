import { someNames } from '../../text/index.js';
import type { ModelConfig, Weight, Weights } from '../config.js';
import type { JsonObject } from '../json-fields.js';
import { didYouMean } from '../nearest.js';
import { parameterShapes } from '../parameters.js';
import { parseModelConfig } from '../parse-config.js';
import { type GgufFile, type GgufValue, openGguf } from './gguf.js';
import { llama3ScalingFromFactors } from './gguf-rope-factors.js';

const modelTypes: Readonly<Record<string, readonly [modelType: string, architecture: string]>> = {
  llama: ['llama', 'LlamaForCausalLM'],
  qwen2: ['qwen2', 'Qwen2ForCausalLM'],
  qwen3: ['qwen3', 'Qwen3ForCausalLM'],
};

/** llama.cpp's names for parts of a layer; the rest of the name (`.weight`, `.bias`) is the same on both sides. */
const layerParts: readonly (readonly [huggingFace: string, gguf: string])[] = [
  ['input_layernorm', 'attn_norm'],
  ['post_attention_layernorm', 'ffn_norm'],
  ['self_attn.q_proj', 'attn_q'],
  ['self_attn.k_proj', 'attn_k'],
  ['self_attn.v_proj', 'attn_v'],
  ['self_attn.o_proj', 'attn_output'],
  ['self_attn.q_norm', 'attn_q_norm'],
  ['self_attn.k_norm', 'attn_k_norm'],
  ['mlp.gate_proj', 'ffn_gate'],
  ['mlp.up_proj', 'ffn_up'],
  ['mlp.down_proj', 'ffn_down'],
];

/** Loads a model from a GGUF file, dequantised, under Hugging Face names and in Hugging Face's order of rows. */
export async function loadGguf(path: string): Promise<{ readonly config: ModelConfig; readonly weights: Weights }> {
  const file = await openGguf(path);
  try {
    const config = parseModelConfig(await configJson(file), path);
    return { config, weights: await readWeights(file, config) };
  } finally {
    await file.close();
  }
}

/** The config of a GGUF file whose tensors `loadGguf` can read, as far as its header tells. */
export async function checkGguf(path: string): Promise<ModelConfig> {
  const file = await openGguf(path);
  try {
    const config = parseModelConfig(await configJson(file), path);
    locateWeights(file, config);
    return config;
  } finally {
    await file.close();
  }
}

export async function readGgufConfig(path: string): Promise<ModelConfig> {
  const file = await openGguf(path);
  try {
    return parseModelConfig(await configJson(file), path);
  } finally {
    await file.close();
  }
}

/** The tensors of the file by their names there, checked against the config. */
function locateWeights(file: GgufFile, config: ModelConfig) {
  const wanted = new Map([...parameterShapes(config)].map(([name, shape]) => [ggufName(name), { name, shape }]));
  const missing = [...wanted.keys()].filter((name) => !file.tensors.has(name));
  if (missing.length > 0) throw new Error(`${file.path} lacks tensors that its model needs: ${someNames(missing)}.`);
  const extra = [...file.tensors.keys()].filter((name) => !wanted.has(name) && name !== 'rope_freqs.weight');
  if (extra.length > 0) throw new Error(`${file.path} has tensors that its model does not know: ${someNames(extra)}.`);
  for (const [stored, { shape }] of wanted) {
    const found = file.checkFloat(stored).shape;
    if (found.join() !== shape.join()) {
      throw new Error(`${file.path}: tensor ${stored} has shape [${found}], but the model needs [${shape}].`);
    }
  }
  return wanted;
}

async function readWeights(file: GgufFile, config: ModelConfig): Promise<Weights> {
  const permuted = file.metadata.get('general.architecture') === 'llama';
  const weights = new Map<string, Weight>();
  for (const [stored, { name, shape }] of locateWeights(file, config)) {
    const weight = await file.readFloat(stored);
    const heads = name.includes('.q_proj.') ? config.numHeads : name.includes('.k_proj.') ? config.numKeyValueHeads : 0;
    weights.set(
      name,
      permuted && heads > 0 ? { shape, data: unpermute(weight.data, heads, shape[0]! / heads) } : weight,
    );
  }
  return weights;
}

function ggufName(name: string): string {
  if (name === 'model.embed_tokens.weight') return 'token_embd.weight';
  if (name === 'model.norm.weight') return 'output_norm.weight';
  if (name === 'lm_head.weight') return 'output.weight';
  const [, layer, part, kind] = /^model\.layers\.(\d+)\.(.+)\.(weight|bias)$/.exec(name)!;
  return `blk.${layer}.${layerParts.find(([huggingFace]) => huggingFace === part)![1]}.${kind}`;
}

/**
 * llama.cpp rotates neighbouring dimensions (2i, 2i + 1) in its `llama` architecture, Hugging Face dimensions
 * (i, i + headDim / 2), so its converter interleaves the two halves of each head's query and key rows. This undoes it.
 */
function unpermute(data: Float32Array, heads: number, headDim: number): Float32Array {
  const width = data.length / (heads * headDim);
  const half = headDim / 2;
  const result = new Float32Array(data.length);
  for (let head = 0; head < heads; head++) {
    for (let i = 0; i < headDim; i++) {
      const from = (head * headDim + (i % half) * 2 + Math.floor(i / half)) * width;
      result.set(data.subarray(from, from + width), (head * headDim + i) * width);
    }
  }
  return result;
}

/** The `config.json` that the model would have as a Hugging Face checkpoint. */
async function configJson(file: GgufFile): Promise<JsonObject> {
  const { path, metadata, tensors } = file;
  const arch = String(metadata.get('general.architecture'));
  const known = Object.hasOwn(modelTypes, arch) ? modelTypes[arch] : undefined;
  if (known === undefined) {
    const supported = Object.keys(modelTypes);
    throw new Error(
      `${path}: GGUF architecture ${arch} is not supported; supported: ${supported.join(', ')}.${didYouMean(arch, supported)}`,
    );
  }
  const value = (key: string) => metadata.get(`${arch}.${key}`);
  const number = (key: string, fallback?: number): number => {
    const found = value(key) ?? fallback;
    if (typeof found !== 'number') {
      throw new Error(`${path}: metadata ${arch}.${key} must be one number, but is ${describe(value(key))}.`);
    }
    return shortest(found);
  };
  const optional = (name: string, key: string) => {
    const found = metadata.get(key);
    return found === undefined ? {} : { [name]: found };
  };

  const heads = number('attention.head_count');
  const hidden = number('embedding_length');
  const headDim = number('attention.key_length', hidden / heads);
  if (number('attention.value_length', headDim) !== headDim) {
    throw new Error(`${path}: heads with different key and value lengths are not supported.`);
  }
  if (number('rope.dimension_count', headDim) !== headDim) {
    throw new Error(
      `${path}: rotary embeddings over a part of the head (${arch}.rope.dimension_count) are not supported.`,
    );
  }
  // llama.cpp files Mistral under llama; only its sliding window tells them apart.
  const window = value('attention.sliding_window');
  const mistral = arch === 'llama' && typeof window === 'number' && window > 0;
  const embedding = tensors.get('token_embd.weight');
  if (embedding === undefined) throw new Error(`${path} lacks tensors that its model needs: token_embd.weight.`);

  return Object.freeze({
    architectures: [mistral ? 'MistralForCausalLM' : known[1]],
    model_type: mistral ? 'mistral' : known[0],
    vocab_size: embedding.shape[0],
    hidden_size: hidden,
    intermediate_size: number('feed_forward_length'),
    num_hidden_layers: number('block_count'),
    num_attention_heads: heads,
    num_key_value_heads: number('attention.head_count_kv', heads),
    head_dim: headDim,
    hidden_act: 'silu',
    max_position_embeddings: number('context_length'),
    rms_norm_eps: number('attention.layer_norm_rms_epsilon'),
    tie_word_embeddings: !tensors.has('output.weight'),
    rope_theta: number('rope.freq_base', 10000),
    rope_scaling: await ropeScaling(file, arch, number),
    ...(mistral ? { sliding_window: window } : {}),
    ...(arch === 'qwen2' ? {} : { attention_bias: tensors.has('blk.0.attn_q.bias') }),
    ...(arch === 'llama' && !mistral ? { mlp_bias: tensors.has('blk.0.ffn_gate.bias') } : {}),
    initializer_range: 0.02,
    ...optional('bos_token_id', 'tokenizer.ggml.bos_token_id'),
    ...optional('eos_token_id', 'tokenizer.ggml.eos_token_id'),
    ...optional('pad_token_id', 'tokenizer.ggml.padding_token_id'),
    torch_dtype: 'float32',
  });
}

async function ropeScaling(
  file: GgufFile,
  arch: string,
  number: (key: string, fallback?: number) => number,
): Promise<JsonObject | null> {
  const { path, metadata, tensors } = file;
  if (tensors.has('rope_freqs.weight')) {
    const { data } = await file.readFloat('rope_freqs.weight');
    if (data.every((factor) => factor === 1)) return null;
    const scaling = llama3ScalingFromFactors(data, number('rope.freq_base', 10000));
    if (scaling === null) {
      throw new Error(`${path}: rope_freqs.weight holds other factors than Llama 3's RoPE scaling gives.`);
    }
    return {
      rope_type: 'llama3',
      factor: scaling.factor,
      low_freq_factor: scaling.lowFreqFactor,
      high_freq_factor: scaling.highFreqFactor,
      original_max_position_embeddings: scaling.originalMaxPositionEmbeddings,
    };
  }
  const type = metadata.get(`${arch}.rope.scaling.type`) ?? 'none';
  const factor = number('rope.scaling.factor', 1);
  switch (type) {
    case 'none':
      return null;
    case 'linear':
      return { rope_type: 'linear', factor };
    case 'yarn':
      return {
        rope_type: 'yarn',
        factor,
        original_max_position_embeddings: number('rope.scaling.original_context_length', number('context_length')),
        beta_fast: number('rope.scaling.yarn_beta_fast', 32),
        beta_slow: number('rope.scaling.yarn_beta_slow', 1),
      };
    default:
      throw new Error(`${path}: RoPE scaling ${describe(type)} is not supported; supported: none, linear, yarn.`);
  }
}

/** Metadata floats are float32; the shortest decimal that means the same number reads better and is exact again (1e-5). */
function shortest(value: number): number {
  const short = Number(value.toPrecision(7));
  return Math.fround(short) === Math.fround(value) ? short : value;
}

function describe(value: GgufValue | undefined): string {
  return value === undefined ? 'missing' : Array.isArray(value) ? `a list of ${value.length}` : JSON.stringify(value);
}
