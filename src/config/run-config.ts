import type { ParsedConfig, ParsedDataset } from './schema/index.js';

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

type Settled<T, Keys extends keyof T> = Omit<T, Keys> & { [Key in Keys]: NonNullable<T[Key]> };

type Chat<T> = T extends { chat_template: string | null } ? Settled<T, 'chat_template'> : T;
type Turns<T> = T extends { train_on_eot: unknown } ? Settled<T, 'train_on_eot'> : T;

/** One entry of `datasets`, told apart by `type`. `path` is absolute; the chat template is settled. */
export type DatasetConfig = Frozen<Turns<Chat<ParsedDataset>>>;
export type ChatTemplateDataset = Extract<DatasetConfig, { type: 'chat_template' }>;
export type AlpacaDataset = Extract<DatasetConfig, { type: 'alpaca' }>;
export type CompletionDataset = Extract<DatasetConfig, { type: 'completion' }>;
export type InputOutputDataset = Extract<DatasetConfig, { type: 'input_output' }>;
export type PromptDataset = Extract<DatasetConfig, { type: 'prompt' }>;

/** Options of `rl: grpo` with everything settled except `num_completions_to_print` (null = all). */
export type TrlConfig = Frozen<
  Settled<
    NonNullable<ParsedConfig['trl']>,
    'max_completion_length' | 'beta' | 'epsilon_high' | 'reward_weights' | 'generation_batch_size'
  >
>;

/** One entry of `environments`. `name` is one of the gym's registry, or an absolute folder. */
export type EnvironmentEntry = Frozen<Exclude<NonNullable<ParsedConfig['environments']>[number], string>>;

export type EngineConfig = Frozen<Settled<ParsedConfig['engine'], 'threads'>>;

interface Derived {
  /** The mapping of a `config.json`, read from its file if a path was given. */
  readonly model_config: Readonly<Record<string, unknown>> | null;
  readonly tokenizer_config: string;
  readonly chat_template: string;
  readonly datasets: readonly DatasetConfig[];
  readonly test_datasets: readonly DatasetConfig[] | null;
  readonly eval_sample_packing: boolean;
  readonly gradient_accumulation_steps: number;
  /** Always micro_batch_size × gradient_accumulation_steps. */
  readonly batch_size: number;
  readonly eval_batch_size: number;
  readonly eval_strategy: 'no' | 'steps' | 'epoch';
  readonly save_strategy: 'no' | 'steps' | 'epoch';
  readonly trl: TrlConfig | null;
  readonly environments: readonly EnvironmentEntry[] | null;
  readonly engine: EngineConfig;
}

/**
 * A complete, frozen config under the names of the YAML keys. What is null is off or unset, as the key's documentation says.
 * Paths are absolute. `chat_template_jinja` holds the template itself. `rl_beta` has gone into `trl.beta`.
 * What depends on the number of steps is settled later: logging, evaluation and checkpoints by `cadence`, warm-up by the schedule.
 */
export type RunConfig = Frozen<Omit<ParsedConfig, keyof Derived | 'rl_beta'>> & Derived;

/** A value that was not written down but decided, and why. */
export interface Decision {
  readonly key: string;
  readonly value: unknown;
  readonly reason: string;
}
