export { type Attack, type AttackLanguage, attackLanguages, loadAttacks } from './attacks.js';
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
