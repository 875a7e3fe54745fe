export {
  type AxolotlConfigOptions,
  type GeneratedConfig,
  type GrpoConfigOptions,
  generateAxolotlConfig,
  type PrmConfigOptions,
} from './axolotl-config.js';
export { type AnswerMessage, answerOf, type Completion, textOf } from './code-block.js';
export type { Judgement, JudgeOptions, RewardStats } from './judge.js';
export {
  axolotlRowRewardFn,
  type BatchFn,
  type Columns,
  type KeywordFn,
  makeAxolotlRewardFn,
  makeAxolotlShapedRewardFn,
  makeCaseRewardFn,
  makeRewardFn,
  makeShapedRewardFn,
  type RewardFn,
  type RewardOptions,
  rowRewardFn,
} from './reward-fn.js';
export { type TrainingFilesOptions, writeTrainingFiles } from './training-files.js';
export { type VerlRow, type VerlRowsOptions, verlRows } from './verl-rows.js';
export { writeRows } from './write-rows.js';
