import { add, multiply, silu, type Tensor } from '../graph/index.js';
import type { LayerContext } from './layer.js';

/** Llama 2 and 3, TinyLlama, SmolLM2: pre-norm attention with grouped queries, then a SwiGLU feed-forward. */
export function llamaLayer(x: Tensor, layer: LayerContext): Tensor {
  const h = layer.norm(x, 'input_layernorm');
  const q = layer.rotate(layer.project(h, 'self_attn.q_proj'));
  const k = layer.rotate(layer.project(h, 'self_attn.k_proj'));
  const v = layer.project(h, 'self_attn.v_proj');
  const attended = add(x, layer.project(layer.attend(q, k, v), 'self_attn.o_proj'));
  return add(attended, swiglu(layer.norm(attended, 'post_attention_layernorm'), layer));
}

/** down(silu(gate(x)) · up(x)) (Shazeer 2020). */
export function swiglu(x: Tensor, layer: LayerContext): Tensor {
  const gate = silu(layer.project(x, 'mlp.gate_proj'));
  return layer.project(multiply(gate, layer.project(x, 'mlp.up_proj')), 'mlp.down_proj');
}
