export { type MixedEnvironments, mixedEnvironments, type WeightedEnvironment } from './mixed.js';
export { openEpisode } from './open.js';
export * from './types.js';
