export { defineLoss, type LossContext, type LossDefinition } from './loss.js';
export type * from './types.js';
