export { ConfigError, type LoadedConfig, loadConfig, parseConfig, type RunConfig, UserError } from './config/index.js';
export { type Console, createConsole } from './observe/index.js';
export type { RewardColumns, RewardContext, RewardFunction } from './rl/index.js';
export { type TrainOptions, type TrainResult, train } from './run/index.js';
