export { evaluate } from './grpo-evaluate.js';
export { type MergeResult, mergeLora, mergeTolerance } from './merge-lora.js';
export type { Method, MethodInputs, Outcome, PreparedMethod, Run } from './method.js';
export { type TrainOptions, type TrainResult, train } from './train.js';
export { findModel, findModelOfRun, samplingEngineOptions, type TrainedModel } from './trained-model.js';
