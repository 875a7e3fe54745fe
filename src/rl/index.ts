export type { GroupAdvantages, RewardScale } from './advantages.js';
export { groupAdvantages } from './advantages.js';
export { AGREEMENT_TOLERANCE, type Agreement, checkAgreement, checkPolicyVersion } from './agreement.js';
export type { Accuracy, EvaluateOptions, Evaluation } from './evaluate.js';
export { evaluateRewards } from './evaluate.js';
export {
  type GrpoContext,
  type GrpoHooks,
  type GrpoUpdate,
  grpoIteration,
  type SampledGroups,
} from './grpo-iteration.js';
export type { Metrics, PolicyMetricsOptions, PolicyTokens } from './grpo-metrics.js';
export { policyMetrics, rolloutMetrics } from './grpo-metrics.js';
export {
  type GrpoCursor,
  type GrpoPlan,
  type GrpoPlanRequest,
  type PlannedGeneration,
  type PlannedUpdate,
  planGrpo,
} from './grpo-plan.js';
export {
  type GradientResult,
  type GrpoLossSettings,
  grpoGradient,
  type PreparedSequence,
  prepareSequences,
  type Reference,
} from './grpo-update.js';
export { addToWindow, type MetricWindow, windowMetrics } from './metric-window.js';
export { cutPasses, type PolicySequence, policySequence } from './policy-sequence.js';
export * from './rewards/index.js';
export type { ScoredGroups } from './score-groups.js';
export { scoreGroups } from './score-groups.js';
export { wilsonInterval } from './stats.js';
