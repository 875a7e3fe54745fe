/** Sizes of a quickstart. */
export interface QuickstartPlan {
  readonly demonstrations: number;
  /** Share of them that write their steps; the others only state the result. */
  readonly stepsShare: number;
  readonly prompts: number;
  readonly heldOut: number;
  readonly sftSteps: number;
  readonly grpoSteps: number;
  /** Answers of one GRPO step. */
  readonly answers: number;
  readonly model: Readonly<Record<string, unknown>>;
}

const model: Readonly<Record<string, unknown>> = {
  architectures: ['Qwen3ForCausalLM'],
  model_type: 'qwen3',
  hidden_size: 128,
  intermediate_size: 512,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 32,
  max_position_embeddings: 256,
  rms_norm_eps: 1e-5,
  rope_theta: 10000,
  initializer_range: 0.04,
  tie_word_embeddings: true,
};

export const fullPlan: QuickstartPlan = {
  demonstrations: 6000,
  stepsShare: 0.4,
  prompts: 2000,
  heldOut: 256,
  sftSteps: 900,
  grpoSteps: 32,
  answers: 128,
  model,
};

/** Shows that everything works, not what can be learnt. */
export const shortPlan: QuickstartPlan = {
  ...fullPlan,
  demonstrations: 2400,
  prompts: 64,
  heldOut: 32,
  sftSteps: 80,
  grpoSteps: 3,
  answers: 64,
};
