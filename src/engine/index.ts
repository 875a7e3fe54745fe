export type { Compute, LocalEngineOptions } from './local/compute.js';
export { createLocalEngine, type LocalEngine } from './local/local-engine.js';
export { defineLoss, type LossContext, type LossDefinition } from './loss.js';
export type * from './types.js';
