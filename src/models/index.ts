export type { Family, ModelConfig, RopeConfig, Weight, Weights } from './config.js';
