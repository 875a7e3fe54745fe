export { type Attack, type AttackLanguage, attackLanguages, loadAttacks } from './attacks.js';
export { type AuditOptions, type AuditReport, audit, type Leak, type ManifestEntry } from './audit.js';
export { type QaOptions, qa } from './qa.js';
export {
  type AttackResult,
  type EnvironmentQa,
  type Finding,
  type QaReport,
  type QaSummary,
  type SurvivingMutant,
  summarise,
} from './report.js';
export { assignSplits, type Split, type SplitOptions, splits } from './splits.js';
