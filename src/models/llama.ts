import { add, multiply, silu, type Tensor } from '../graph/index.js';
import type { LayerContext } from './layer.js';

export const attentionProjections = ['self_attn.q_proj', 'self_attn.k_proj', 'self_attn.v_proj'];

/** Llama 2 and 3, TinyLlama, SmolLM2: pre-norm attention with grouped queries, then a SwiGLU feed-forward. */
export function llamaLayer(x: Tensor, layer: LayerContext): Tensor {
  const h = layer.norm(x, 'input_layernorm');
  const [q, k, v] = layer.projectAll(h, attentionProjections) as [Tensor, Tensor, Tensor];
  const attended = add(x, layer.project(layer.attend(layer.rotate(q), layer.rotate(k), v), 'self_attn.o_proj'));
  return add(attended, swiglu(layer.norm(attended, 'post_attention_layernorm'), layer));
}

/** down(silu(gate(x)) · up(x)) (Shazeer 2020). */
export function swiglu(x: Tensor, layer: LayerContext): Tensor {
  const [gate, up] = layer.projectAll(x, ['mlp.gate_proj', 'mlp.up_proj']) as [Tensor, Tensor];
  return layer.project(multiply(silu(gate), up), 'mlp.down_proj');
}
