import { type ModelConfig, parseModelConfig } from '../src/models/index.js';

/** SmolLM2-135M's shape, and a model small enough for one laptop core. */
export const shapes: Readonly<Record<'135m' | '4m', ModelConfig>> = {
  '135m': llama({ hidden_size: 576, layers: 30, heads: 9, kv: 3, ffn: 1536, vocab: 49_152 }),
  '4m': llama({ hidden_size: 256, layers: 4, heads: 4, kv: 2, ffn: 768, vocab: 4096 }),
};

function llama(size: {
  hidden_size: number;
  layers: number;
  heads: number;
  kv: number;
  ffn: number;
  vocab: number;
}): ModelConfig {
  return parseModelConfig(
    {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      hidden_size: size.hidden_size,
      num_hidden_layers: size.layers,
      num_attention_heads: size.heads,
      num_key_value_heads: size.kv,
      intermediate_size: size.ffn,
      vocab_size: size.vocab,
      tie_word_embeddings: true,
      max_position_embeddings: 8192,
      rope_theta: 10_000,
      rms_norm_eps: 1e-5,
      initializer_range: 0.02,
    },
    'bench shape',
  );
}
