export { openCases } from './cases/index.js';
export {
  EnvironmentError,
  environmentFromDeepGym,
  listEnvironments,
  loadEnvironment,
  loadSuite,
  renderTask,
} from './environment/index.js';
export type {
  Case,
  CaseSet,
  Checker,
  Difficulty,
  Environment,
  EnvironmentKind,
  EnvironmentLimits,
  FunctionSignature,
  SourceFile,
  SourceRules,
  Variant,
} from './environment/types.js';
export { type MixedEnvironments, mixedEnvironments, type WeightedEnvironment } from './episode/index.js';
export type { Action, Episode, EpisodeRecord, Observation, StepResult } from './episode/types.js';
export * from './evaluate/index.js';
export { openGym } from './gym.js';
export { GymError } from './gym-error.js';
export { languageOf } from './judge.js';
export { type Language, languages } from './language.js';
export { type AuditOptions, type AuditReport, audit, type QaOptions, type QaReport, qa } from './qa/index.js';
export * from './reward/index.js';
export { openRunner } from './runner/index.js';
export type { CallJob, CallOutcome, JobLimits, JobResult, ProgramLanguage, Runner } from './runner/types.js';
export { openSandboxes } from './sandbox/index.js';
export {
  type CreateSandboxOptions,
  type ExecOptions,
  type ExecResult,
  type Sandbox,
  type SandboxCapabilities,
  SandboxError,
  type SandboxLimits,
  type SandboxName,
  type SandboxProvider,
  sandboxNames,
} from './sandbox/types.js';
export * from './server/index.js';
export * from './trace/index.js';
export type { Gym, GymContext, GymOptions, RunOptions } from './types.js';
export { asDeclared, isValue, showValue, type TaggedValue, toPlain, toValue, type Value } from './value.js';
export { showType, type ValueType } from './value-type.js';
export {
  type CaseResult,
  type NoVerdict,
  type NoVerdictCause,
  noVerdictCauses,
  type Scored,
  type Verdict,
} from './verdict.js';
export { type CheckResult, compare, runChecker, VerifierError, verify } from './verify/index.js';
