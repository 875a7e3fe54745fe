/** The architectures that anneal can train; each has one graph file in this folder. */
export type Family = 'llama' | 'qwen2' | 'qwen3' | 'mistral';

/** Rotary position embedding, after `rope_theta` and `rope_scaling` of a Hugging Face `config.json`. */
export type RopeConfig = { readonly theta: number } & (
  | { readonly type: 'default' }
  | { readonly type: 'linear'; readonly factor: number }
  | {
      readonly type: 'llama3';
      readonly factor: number;
      readonly lowFreqFactor: number;
      readonly highFreqFactor: number;
      readonly originalMaxPositionEmbeddings: number;
    }
  | {
      readonly type: 'yarn';
      readonly factor: number;
      readonly originalMaxPositionEmbeddings: number;
      readonly betaFast: number;
      readonly betaSlow: number;
      readonly attentionFactor: number;
      readonly truncate: boolean;
    }
);

/** A decoder-only transformer, read from `config.json`. Sizes are counts of elements. */
export interface ModelConfig {
  readonly family: Family;
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numKeyValueHeads: number;
  readonly headDim: number;
  readonly rmsNormEps: number;
  readonly maxPositionEmbeddings: number;
  readonly tieWordEmbeddings: boolean;
  /** Biases on the q, k and v projections (Qwen2; Llama with `attention_bias`). */
  readonly qkvBias: boolean;
  /** Bias on the attention output projection (Llama with `attention_bias`). */
  readonly outputBias: boolean;
  readonly mlpBias: boolean;
  /** RMSNorm on each head's query and key (Qwen3). */
  readonly qkNorm: boolean;
  /** Sliding attention window in tokens for each layer; null attends to everything before. */
  readonly slidingWindow: readonly (number | null)[];
  readonly rope: RopeConfig;
  readonly initializerRange: number;
  /** The `config.json` this was read from, written back unchanged when the model is saved. */
  readonly source: Readonly<Record<string, unknown>>;
}

/** One named parameter under its Hugging Face name (`model.layers.0.self_attn.q_proj.weight`), row-major float32. */
export interface Weight {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

export type Weights = ReadonlyMap<string, Weight>;
