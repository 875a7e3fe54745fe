export type { Method, MethodInputs, Outcome, PreparedMethod, Run } from './method.js';
export { type TrainOptions, type TrainResult, train } from './train.js';
