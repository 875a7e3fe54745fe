export {
  type Adapter,
  type AdapterConfig,
  type LoraModule,
  loraScale,
  mergeAdapter,
  randomAdapter,
  targetedModules,
} from './adapter.js';
export { type Attention, type BlockShape, blockAttention, halfBlockSymbol, maskName, rowsSymbol } from './attention.js';
export { cachedAttention, type LayerCache } from './cached-attention.js';
export type { Family, ModelConfig, RopeConfig, Weight, Weights } from './config.js';
export { type Decoder, type DecoderOptions, decoder, dropoutSpread, type LoraSpec, loraNames } from './decoder.js';
export { type AdapterOrigin, loadAdapter, saveAdapter } from './files/adapter-file.js';
export {
  type Checkpoint,
  type CheckpointLocation,
  checkCheckpoint,
  loadCheckpoint,
  locateCheckpoint,
  readModelConfig,
  type SaveOptions,
  saveCheckpoint,
} from './files/checkpoint.js';
export { type GgufFile, type GgufValue, ggufMetadata, openGguf } from './files/gguf.js';
export { type DownloadProgress, type ResolveOptions, resolveModelSource } from './files/model-source.js';
export { openSafetensors, type SafetensorsFile } from './files/read-safetensors.js';
export type { SafetensorsDtype, TensorEntry } from './files/safetensors-format.js';
export {
  type FloatDtype,
  type WritableTensor,
  type WriteOptions,
  writeSafetensors,
} from './files/write-safetensors.js';
export { type HeadOptions, type HeadResult, type HeadWeight, headPartRows, tokenLogprobs } from './head.js';
export { type LinearModule, linearModules, parameterShapes } from './parameters.js';
export { parseModelConfig } from './parse-config.js';
export { fillNormal, fillUniform, randomWeights } from './random-init.js';
export { type RopeTables, ropeTables } from './rope.js';
