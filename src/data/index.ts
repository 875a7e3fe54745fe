export { formatOrigin } from './errors.js';
export type { DroppedRow, Example, RowOrigin } from './example.js';
export { findDataFiles, type Row, readJsonl, type SourceRow } from './jsonl.js';
export type { DataConfig } from './options.js';
export { epochOrder } from './order.js';
export { packBins } from './packing.js';
export {
  type BatchConfig,
  type BatchRequest,
  type Cursor,
  type PlannedStep,
  type PlanRequest,
  planBatches,
  planTraining,
  type RunLength,
  type StepBatches,
  type TrainingPlan,
} from './plan.js';
export { type PreparedDataset, type PrepareOptions, type PrepareProgress, prepareDataset } from './prepare.js';
export { formatPreview, type PreviewOptions } from './preview.js';
export {
  formatPromptReport,
  type PreparedPrompts,
  type Prompt,
  type PromptOptions,
  type PromptReport,
  type PromptRow,
  promptsFrom,
  readPrompts,
} from './prompts.js';
export { type DataReport, type DropGroup, formatDataReport, type LongRow } from './report.js';
export type { ReadOptions, RowProgress } from './rows.js';
