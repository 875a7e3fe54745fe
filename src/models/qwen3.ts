import { add, reshape, type Tensor } from '../graph/index.js';
import type { LayerContext } from './layer.js';
import { attentionProjections, swiglu } from './llama.js';

/** Qwen3: Llama's layer with an RMSNorm over each head's query and key before they are rotated. */
export function qwen3Layer(x: Tensor, layer: LayerContext): Tensor {
  const h = layer.norm(x, 'input_layernorm');
  const [q, k, v] = layer.projectAll(h, attentionProjections) as [Tensor, Tensor, Tensor];
  const queries = layer.rotate(normHeads(q, 'self_attn.q_norm', layer));
  const keys = layer.rotate(normHeads(k, 'self_attn.k_norm', layer));
  const attended = add(x, layer.project(layer.attend(queries, keys, v), 'self_attn.o_proj'));
  return add(attended, swiglu(layer.norm(attended, 'post_attention_layernorm'), layer));
}

/** x [N, heads·D], each head normalised on its own. */
function normHeads(x: Tensor, name: string, layer: LayerContext): Tensor {
  const { headDim } = layer.config;
  const [N, width] = x.shape as [Tensor['shape'][number], number];
  return reshape(layer.norm(reshape(x, [N, width / headDim, headDim]), name), x.shape);
}
