export type { Question } from '../reward/question.js';
export { type AnswerSource, folderAnswers, type Submitted, type SubmittedAnswer, sampledAnswers } from './answers.js';
export { type Endpoint, EndpointError, type EndpointOptions, openEndpoint, type Reply } from './endpoint.js';
export {
  type EnvironmentResult,
  type EvaluateOptions,
  type EvaluationReport,
  evaluate,
  type JudgedAnswer,
} from './evaluate.js';
export { type Estimate, meanInterval, passAtK, wilson } from './statistics.js';
