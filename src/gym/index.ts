// Environments
export {
  EnvironmentError,
  environmentFromDeepGym,
  languageFor,
  listEnvironments,
  loadEnvironment,
  loadSuite,
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
// Episodes
export {
  type Action,
  type Episode,
  type EpisodeRecord,
  type MixedEnvironments,
  mixedEnvironments,
  type Observation,
  type StepResult,
  type WeightedEnvironment,
} from './episode/index.js';
// Measuring models, storing what was judged, testing environments
export * from './evaluate/index.js';
// Verdicts
export { openGym } from './gym.js';
export { GymError } from './gym-error.js';
export { type Language, languages } from './language.js';
export {
  type AuditOptions,
  type AuditReport,
  audit,
  type EnvironmentQa,
  type QaOptions,
  type QaReport,
  qa,
} from './qa/index.js';
// Rewards, over HTTP as well
export * from './reward/index.js';
// Where answers run
export { type DaytonaOptions, openDaytona } from './sandbox/daytona.js';
export { type E2bOptions, openE2b } from './sandbox/e2b.js';
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
export {
  createGymApp,
  type GymApp,
  type GymAppOptions,
  type GymServer,
  type ServeOptions,
  serveGym,
} from './server/index.js';
export * from './trace/index.js';
export type { Gym, GymOptions, RunOptions } from './types.js';
export { showValue, toPlain, toValue, type Value } from './value.js';
export type { ValueType } from './value-type.js';
export type { CaseResult, NoVerdict, NoVerdictCause, Scored, Verdict } from './verdict.js';
export { VerifierError } from './verify/index.js';
