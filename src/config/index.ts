export { type Cadence, cadence } from './cadence.js';
export { configSchema, fieldSchema } from './json-schema.js';
export { type LoadedConfig, type LoadOptions, loadConfig, type ParseOptions, parseConfig } from './load.js';
export { didYouMean } from './nearest.js';
export { type SplitArguments, splitArguments } from './overrides.js';
export { ConfigError, describeProblems, type LocatedProblem, type Problem, problemsOf } from './problems.js';
export { resolvedYaml } from './resolved-yaml.js';
export type {
  AlpacaDataset,
  ChatTemplateDataset,
  CompletionDataset,
  DatasetConfig,
  Decision,
  EngineConfig,
  EnvironmentEntry,
  InputOutputDataset,
  PromptDataset,
  RunConfig,
  TrlConfig,
} from './run-config.js';
export { readSource, readYaml, type YamlSource } from './source.js';
export { UserError } from './user-error.js';
