import type { Layer } from './layer.js';
import { llamaLayer } from './llama.js';

/** Mistral: Llama's layer; its sliding window is the attention's business. */
export const mistralLayer: Layer = llamaLayer;
