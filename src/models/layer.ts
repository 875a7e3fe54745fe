import type { Tensor } from '../graph/index.js';
import type { ModelConfig } from './config.js';

/** What a layer's graph function is given: its weights by their names inside the layer, and what is shared by all. */
export interface LayerContext {
  readonly config: ModelConfig;
  /** RMSNorm over the last axis with the named weight. */
  norm(x: Tensor, name: string): Tensor;
  /** x [N, in] through the named projection, with its bias and its LoRA adapter where it has them. */
  project(x: Tensor, name: string): Tensor;
  /** x through several projections, whose adapters may then share products. */
  projectAll(x: Tensor, names: readonly string[]): readonly Tensor[];
  /** Rotates the heads of x [N, heads·D] to their positions. */
  rotate(x: Tensor): Tensor;
  attend(q: Tensor, k: Tensor, v: Tensor): Tensor;
}

export type Layer = (x: Tensor, context: LayerContext) => Tensor;
