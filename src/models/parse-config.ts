import type { Family, ModelConfig, RopeConfig } from './config.js';
import { isJsonObject, type JsonFields, type JsonObject, jsonFields } from './json-fields.js';
import { didYouMean } from './nearest.js';

interface FamilyDefaults {
  readonly family: Family;
  readonly modelType: string;
  readonly maxPositionEmbeddings: number;
  /** null: as many as query heads. */
  readonly numKeyValueHeads: number | null;
  /** null: hidden size / heads. */
  readonly headDim: number | null;
}

/** What transformers assumes for a key that `config.json` leaves out, by architecture. */
const architectures: Readonly<Record<string, FamilyDefaults>> = {
  LlamaForCausalLM: {
    family: 'llama',
    modelType: 'llama',
    maxPositionEmbeddings: 2048,
    numKeyValueHeads: null,
    headDim: null,
  },
  MistralForCausalLM: {
    family: 'mistral',
    modelType: 'mistral',
    maxPositionEmbeddings: 131072,
    numKeyValueHeads: 8,
    headDim: null,
  },
  Qwen2ForCausalLM: {
    family: 'qwen2',
    modelType: 'qwen2',
    maxPositionEmbeddings: 32768,
    numKeyValueHeads: 32,
    headDim: null,
  },
  Qwen3ForCausalLM: {
    family: 'qwen3',
    modelType: 'qwen3',
    maxPositionEmbeddings: 32768,
    numKeyValueHeads: 32,
    headDim: 128,
  },
};

/**
 * Reads a Hugging Face `config.json`. `where` is the file's name for messages.
 * Errors name the file, the key, what it holds and what is supported: another architecture, activation, RoPE scaling or
 * quantised weights, a missing size, or sizes that do not fit each other.
 */
export function parseModelConfig(json: unknown, where: string): ModelConfig {
  if (!isJsonObject(json)) throw new Error(`${where} must hold a JSON object.`);
  const fields = jsonFields(json, where);
  const defaults = architectureOf(json, fields, where);
  const { family } = defaults;

  if (fields.has('quantization_config')) {
    const method = jsonFields(fields.object('quantization_config')!, where).string('quant_method', 'unknown');
    throw new Error(
      `${where}: the weights are quantised (quantization_config, method ${method}), which is not supported. ` +
        'Use the F32, F16 or BF16 checkpoint, or a GGUF file.',
    );
  }
  const activation = fields.string('hidden_act', 'silu');
  if (activation !== 'silu' && activation !== 'swish') {
    throw new Error(`${where}: hidden_act is ${JSON.stringify(activation)}; supported: silu (also called swish).`);
  }

  const numHeads = fields.count('num_attention_heads');
  const hiddenSize = fields.count('hidden_size');
  const numLayers = fields.count('num_hidden_layers');
  // Key present but null means "as many as query heads" in every family; only a missing key takes the family's default.
  const kvDefault = json.num_key_value_heads === null ? null : defaults.numKeyValueHeads;
  const numKeyValueHeads = fields.count('num_key_value_heads', kvDefault ?? numHeads);
  if (numHeads % numKeyValueHeads !== 0) {
    throw new Error(
      `${where}: num_attention_heads (${numHeads}) must be a multiple of num_key_value_heads (${numKeyValueHeads}).`,
    );
  }
  const explicitHeadDim = fields.has('head_dim') ? fields.count('head_dim') : defaults.headDim;
  if (explicitHeadDim === null && hiddenSize % numHeads !== 0) {
    throw new Error(
      `${where}: hidden_size (${hiddenSize}) must be a multiple of num_attention_heads (${numHeads}) unless head_dim is given.`,
    );
  }
  const headDim = explicitHeadDim ?? hiddenSize / numHeads;
  if (headDim % 2 !== 0) {
    throw new Error(`${where}: head_dim must be even for rotary embeddings, but is ${headDim}.`);
  }
  const attentionBias = family === 'llama' || family === 'qwen3' ? fields.boolean('attention_bias', false) : false;
  const maxPositionEmbeddings = fields.count('max_position_embeddings', defaults.maxPositionEmbeddings);

  return Object.freeze({
    family,
    vocabSize: fields.count('vocab_size'),
    hiddenSize,
    intermediateSize: fields.count('intermediate_size'),
    numLayers,
    numHeads,
    numKeyValueHeads,
    headDim,
    rmsNormEps: positive(fields, where, 'rms_norm_eps', 1e-6),
    maxPositionEmbeddings,
    tieWordEmbeddings: fields.boolean('tie_word_embeddings', false),
    qkvBias: family === 'qwen2' || attentionBias,
    outputBias: attentionBias,
    mlpBias: family === 'llama' && fields.boolean('mlp_bias', false),
    qkNorm: family === 'qwen3',
    slidingWindow: slidingWindows(json, fields, where, family, numLayers),
    rope: ropeConfig(fields, where, maxPositionEmbeddings),
    initializerRange: fields.number('initializer_range', 0.02),
    source: json,
  });
}

function architectureOf(json: JsonObject, fields: JsonFields, where: string): FamilyDefaults {
  const supported = Object.keys(architectures);
  const [name] = fields.strings('architectures');
  if (name !== undefined) {
    const found = Object.hasOwn(architectures, name) ? architectures[name] : undefined;
    if (found !== undefined) return found;
    throw new Error(
      `${where}: architecture ${name} is not supported; supported: ${supported.join(', ')}.${didYouMean(name, supported)}`,
    );
  }
  const types = Object.values(architectures).map((entry) => entry.modelType);
  if (json.model_type === undefined) {
    throw new Error(`${where} names no model: it needs architectures (one of ${supported.join(', ')}) or model_type.`);
  }
  const modelType = fields.string('model_type', '');
  const found = Object.values(architectures).find((entry) => entry.modelType === modelType);
  if (found !== undefined) return found;
  throw new Error(
    `${where}: model_type ${modelType} is not supported; supported: ${types.join(', ')}.${didYouMean(modelType, types)}`,
  );
}

function slidingWindows(
  json: JsonObject,
  fields: JsonFields,
  where: string,
  family: Family,
  numLayers: number,
): readonly (number | null)[] {
  const full = () => Object.freeze(Array.from({ length: numLayers }, () => null));
  if (family === 'llama') return full();
  if (family === 'mistral') {
    const window = json.sliding_window === null ? null : fields.count('sliding_window', 4096);
    return Object.freeze(Array.from({ length: numLayers }, () => window));
  }
  if (!fields.boolean('use_sliding_window', false)) return full();
  const window = json.sliding_window === null ? null : fields.count('sliding_window', 4096);
  const maxWindowLayers = fields.number('max_window_layers', 28);
  const layerTypes = fields.strings('layer_types');
  if (layerTypes.length > 0 && layerTypes.length !== numLayers) {
    throw new Error(`${where}: layer_types has ${layerTypes.length} entries for ${numLayers} layers.`);
  }
  return Object.freeze(
    Array.from({ length: numLayers }, (_, layer) => {
      const type = layerTypes[layer] ?? (layer >= maxWindowLayers ? 'sliding_attention' : 'full_attention');
      if (type === 'full_attention') return null;
      if (type === 'sliding_attention') return window;
      throw new Error(
        `${where}: layer_types[${layer}] is ${JSON.stringify(type)}; supported: full_attention, sliding_attention.`,
      );
    }),
  );
}

const ropeTypes = ['default', 'linear', 'llama3', 'yarn'] as const;

/** Reads `rope_theta` with `rope_scaling`, or `rope_parameters`, which holds both in newer files. */
function ropeConfig(top: JsonFields, where: string, maxPositionEmbeddings: number): RopeConfig {
  const key = top.has('rope_parameters') ? 'rope_parameters' : 'rope_scaling';
  const scaling = top.object(key) ?? {};
  const at = `${where}, ${key}`;
  const fields = jsonFields(scaling, at);
  if (Object.values(scaling).some(isJsonObject)) {
    throw new Error(`${at}: different rotary parameters per layer type are not supported.`);
  }
  const theta = fields.has('rope_theta')
    ? positive(fields, at, 'rope_theta')
    : positive(top, where, 'rope_theta', 10000);
  const partial = fields.number('partial_rotary_factor', top.number('partial_rotary_factor', 1));
  if (partial !== 1) throw new Error(`${where}: partial_rotary_factor is ${partial}; only 1 is supported.`);
  // A length at the top level (as Phi-3 has it) goes before the one beside the factor, as in transformers.
  const originalLength = () =>
    top.has('original_max_position_embeddings')
      ? top.count('original_max_position_embeddings')
      : fields.count('original_max_position_embeddings', maxPositionEmbeddings);

  const type = fields.string('rope_type', fields.string('type', 'default'));
  switch (type) {
    case 'default':
      return Object.freeze({ theta, type });
    case 'linear':
      return Object.freeze({ theta, type, factor: positive(fields, at, 'factor') });
    case 'llama3':
      return Object.freeze({
        theta,
        type,
        factor: positive(fields, at, 'factor'),
        lowFreqFactor: positive(fields, at, 'low_freq_factor'),
        highFreqFactor: positive(fields, at, 'high_freq_factor'),
        originalMaxPositionEmbeddings: originalLength(),
      });
    case 'yarn': {
      const factor = positive(fields, at, 'factor');
      return Object.freeze({
        theta,
        type,
        factor,
        originalMaxPositionEmbeddings: originalLength(),
        betaFast: positive(fields, at, 'beta_fast', 32),
        betaSlow: positive(fields, at, 'beta_slow', 1),
        attentionFactor: fields.has('attention_factor')
          ? positive(fields, at, 'attention_factor')
          : yarnAttentionFactor(factor, fields.number('mscale', 0), fields.number('mscale_all_dim', 0)),
        truncate: fields.boolean('truncate', true),
      });
    }
    default:
      throw new Error(
        `${at}: RoPE type ${JSON.stringify(type)} is not supported; supported: ${ropeTypes.join(', ')}.` +
          didYouMean(type, ropeTypes),
      );
  }
}

/** Scale of cos and sin after Peng et al. 2023 (YaRN), §3.4; `mscale` and `mscale_all_dim` as DeepSeek uses them. */
function yarnAttentionFactor(factor: number, mscale: number, mscaleAllDim: number): number {
  const scale = (weight: number) => (factor <= 1 ? 1 : 0.1 * weight * Math.log(factor) + 1);
  return mscale !== 0 && mscaleAllDim !== 0 ? scale(mscale) / scale(mscaleAllDim) : scale(1);
}

function positive(fields: JsonFields, where: string, key: string, fallback?: number): number {
  const value = fields.number(key, fallback);
  if (value <= 0) throw new Error(`${where}: ${key} must be above 0, but is ${value}.`);
  return value;
}
