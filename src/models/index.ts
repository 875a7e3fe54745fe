export type { Family, ModelConfig, RopeConfig, Weight, Weights } from './config.js';
export { type LinearModule, linearModules, parameterShapes } from './parameters.js';
export { parseModelConfig } from './parse-config.js';
export { fillNormal, fillUniform, randomWeights } from './random-init.js';
export { openSafetensors, type SafetensorsFile } from './read-safetensors.js';
export { type RopeTables, ropeTables } from './rope.js';
export type { SafetensorsDtype, TensorEntry } from './safetensors-format.js';
export { type FloatDtype, type WritableTensor, type WriteOptions, writeSafetensors } from './write-safetensors.js';
