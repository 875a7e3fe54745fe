import type { ModelConfig } from './config.js';

/** Every parameter of a model with its shape, under Hugging Face names, in the order of the forward pass. */
export function parameterShapes(config: ModelConfig): ReadonlyMap<string, readonly number[]> {
  const { hiddenSize, vocabSize, headDim } = config;
  const shapes = new Map<string, readonly number[]>();
  shapes.set('model.embed_tokens.weight', [vocabSize, hiddenSize]);
  const biased: Readonly<Record<string, boolean>> = {
    q_proj: config.qkvBias,
    k_proj: config.qkvBias,
    v_proj: config.qkvBias,
    o_proj: config.outputBias,
    gate_proj: config.mlpBias,
    up_proj: config.mlpBias,
    down_proj: config.mlpBias,
  };
  for (const { path, suffix, layer, in: inputs, out: outputs } of linearModules(config)) {
    const prefix = `model.layers.${layer}`;
    if (suffix === 'q_proj') shapes.set(`${prefix}.input_layernorm.weight`, [hiddenSize]);
    if (suffix === 'gate_proj') shapes.set(`${prefix}.post_attention_layernorm.weight`, [hiddenSize]);
    shapes.set(`${path}.weight`, [outputs, inputs]);
    if (biased[suffix]) shapes.set(`${path}.bias`, [outputs]);
    if (config.qkNorm && suffix === 'q_proj') shapes.set(`${prefix}.self_attn.q_norm.weight`, [headDim]);
    if (config.qkNorm && suffix === 'k_proj') shapes.set(`${prefix}.self_attn.k_norm.weight`, [headDim]);
  }
  shapes.set('model.norm.weight', [hiddenSize]);
  if (!config.tieWordEmbeddings) shapes.set('lm_head.weight', [vocabSize, hiddenSize]);
  return shapes;
}

export interface LinearModule {
  /** Module path under its Hugging Face name: `model.layers.0.self_attn.q_proj`. */
  readonly path: string;
  /** Last part of the path: `q_proj`. */
  readonly suffix: string;
  readonly layer: number;
  readonly in: number;
  readonly out: number;
}

/** The linear layers that LoRA may adapt ("all linear"): attention and MLP projections of every layer, not the head. */
export function linearModules(config: ModelConfig): readonly LinearModule[] {
  const { hiddenSize, intermediateSize, numHeads, numKeyValueHeads, headDim } = config;
  const queries = numHeads * headDim;
  const keys = numKeyValueHeads * headDim;
  const kinds = [
    ['self_attn.q_proj', hiddenSize, queries],
    ['self_attn.k_proj', hiddenSize, keys],
    ['self_attn.v_proj', hiddenSize, keys],
    ['self_attn.o_proj', queries, hiddenSize],
    ['mlp.gate_proj', hiddenSize, intermediateSize],
    ['mlp.up_proj', hiddenSize, intermediateSize],
    ['mlp.down_proj', intermediateSize, hiddenSize],
  ] as const;
  return Array.from({ length: config.numLayers }, (_, layer) =>
    kinds.map(([name, inputs, outputs]) => ({
      path: `model.layers.${layer}.${name}`,
      suffix: name.slice(name.indexOf('.') + 1),
      layer,
      in: inputs,
      out: outputs,
    })),
  ).flat();
}
