export {
  type Adapter,
  type AdapterConfig,
  type LoraModule,
  loraScale,
  mergeAdapter,
  randomAdapter,
  targetedModules,
} from './adapter.js';
export { type AdapterOrigin, loadAdapter, saveAdapter } from './adapter-file.js';
export { type Attention, type BlockShape, blockAttention, cachedAttention, maskName, rowsSymbol } from './attention.js';
export {
  type Checkpoint,
  type CheckpointLocation,
  loadCheckpoint,
  locateCheckpoint,
  readModelConfig,
  type SaveOptions,
  saveCheckpoint,
} from './checkpoint.js';
export type { Family, ModelConfig, RopeConfig, Weight, Weights } from './config.js';
export { type Decoder, type DecoderOptions, decoder, dropoutSpread, type LoraSpec, loraNames } from './decoder.js';
export { type GgufFile, type GgufValue, ggufMetadata, openGguf } from './gguf.js';
export { type HeadOptions, type HeadResult, tokenLogprobs } from './head.js';
export { type DownloadProgress, type ResolveOptions, resolveModelSource } from './model-source.js';
export { type LinearModule, linearModules, parameterShapes } from './parameters.js';
export { parseModelConfig } from './parse-config.js';
export { fillNormal, fillUniform, randomWeights } from './random-init.js';
export { openSafetensors, type SafetensorsFile } from './read-safetensors.js';
export { type RopeTables, ropeTables } from './rope.js';
export type { SafetensorsDtype, TensorEntry } from './safetensors-format.js';
export { type FloatDtype, type WritableTensor, type WriteOptions, writeSafetensors } from './write-safetensors.js';
