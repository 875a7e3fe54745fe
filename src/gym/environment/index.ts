export { environmentFromDeepGym } from './deepgym.js';
export { languageFor } from './language-for.js';
export { EnvironmentError } from './problems.js';
export { loadByName, loadEnvironment, surveyEnvironments } from './registry.js';
export { renderTask } from './render-task.js';
export { functionName, renderSignature } from './signature.js';
export { listEnvironments, loadSuite } from './suite.js';
export * from './types.js';
