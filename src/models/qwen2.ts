import type { Layer } from './layer.js';
import { llamaLayer } from './llama.js';

/** Qwen2 and 2.5: Llama's layer with biases on q, k and v, which `project` adds where the checkpoint has them. */
export const qwen2Layer: Layer = llamaLayer;
