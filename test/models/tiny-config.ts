/** A `config.json` of the smallest useful Llama, with keys replaced or (undefined) left out. */
export function tinyConfigJson(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const json: Record<string, unknown> = {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: 12,
    hidden_size: 8,
    intermediate_size: 10,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    max_position_embeddings: 64,
    ...changes,
  };
  for (const [key, value] of Object.entries(json)) if (value === undefined) delete json[key];
  return json;
}
