export { builtinRewards } from './builtin/index.js';
export type { RewardCheck, SampleRow } from './check.js';
export { checkRewards, SAMPLE_COMPLETIONS } from './check.js';
export type { LoadRewardsOptions, RewardSpec } from './load.js';
export { loadRewards } from './load.js';
export type { Reward, RewardBatch, RewardColumns, RewardContext, RewardFunction } from './reward.js';
export { RewardError } from './reward-error.js';
export type { RewardFailure, RewardScorer, RewardScorerOptions, RewardScores } from './scorer.js';
export { createRewardScorer } from './scorer.js';
