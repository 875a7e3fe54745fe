import { stringify } from 'yaml';
import { didYouMean } from '../../config/index.js';
import { GymError } from '../gym-error.js';

interface CommonOptions {
  /** A directory, or a hub id. */
  readonly baseModel: string;
  /** Tokens of prompt and completion. Default 2048. */
  readonly sequenceLen?: number;
  /** Default 2. */
  readonly microBatchSize?: number;
  /** Default 4. */
  readonly gradientAccumulationSteps?: number;
  /** Default 1. */
  readonly numEpochs?: number;
  /** Optimizer steps; given, it wins over the epochs. */
  readonly maxSteps?: number;
  /** Default 5e-6. */
  readonly learningRate?: number;
  /** Default `outputs/grpo` or `outputs/prm`. */
  readonly outputDir?: string;
  /** Rank of LoRA adapters. Default: all weights train. */
  readonly loraRank?: number;
}

export interface GrpoConfigOptions extends CommonOptions {
  readonly method: 'grpo';
  /** Named at the head of the file. */
  readonly environments: readonly string[];
  /**
   * Who reads it. The two differ in two values only, the form of the dataset and of the reward's name: anneal has
   * `./rewards.mjs#rowReward`, Axolotl the Python shim's `anneal_gym_rewards.row_reward`. Default `anneal`.
   */
  readonly trainer?: 'anneal' | 'axolotl';
  /** The rows, relative to where the trainer is started. Default `data/train.jsonl`. */
  readonly datasetPath?: string;
  /** Completions for each prompt. Default 8. */
  readonly numGenerations?: number;
  /** Default: half of `sequenceLen`. */
  readonly maxCompletionLength?: number;
}

export interface PrmConfigOptions extends CommonOptions {
  readonly method: 'prm';
  /** Rows with `prompt`, `completions` and `labels`. Default `data/steps.jsonl`. */
  readonly datasetPath?: string;
  /** Between the steps. Default `\n\n`. */
  readonly stepSeparator?: string;
}

export type AxolotlConfigOptions = GrpoConfigOptions | PrmConfigOptions;

export interface GeneratedConfig {
  readonly config: Readonly<Record<string, unknown>>;
  readonly yaml: string;
}

/**
 * A training config. `grpo` improves a model on environments of the gym; `prm` trains a process reward model on
 * `stepwise_supervised` rows, which Axolotl does and anneal does not. Every key is one that Axolotl knows.
 * @throws GymError for options that cannot be meant
 */
export function generateAxolotlConfig(options: AxolotlConfigOptions): GeneratedConfig {
  check(options);
  const { head, config } = options.method === 'grpo' ? grpo(options) : prm(options);
  return { config, yaml: `${head.map((line) => `# ${line}\n`).join('')}${stringify(config)}` };
}

const knownOptions = {
  common: [
    ...['method', 'baseModel', 'sequenceLen', 'microBatchSize', 'gradientAccumulationSteps', 'numEpochs', 'maxSteps'],
    ...['learningRate', 'outputDir', 'loraRank', 'datasetPath'],
  ],
  grpo: ['environments', 'trainer', 'numGenerations', 'maxCompletionLength'],
  prm: ['stepSeparator'],
} as const;

const refused = (message: string) => new GymError(`generateAxolotlConfig: ${message}`);

/** A wrong option would show only hours later, in a training run. */
function check(options: AxolotlConfigOptions): void {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const { method } = given;
  if (method !== 'grpo' && method !== 'prm') throw refused(`method is ${method}; wanted is grpo or prm.`);
  const known: readonly string[] = [...knownOptions.common, ...knownOptions[method]];
  for (const [name, value] of Object.entries(given)) {
    if (!known.includes(name)) throw refused(`${method} has no option ${name}${didYouMean(name, known)}`);
    if (typeof value !== 'number') continue;
    const whole = name !== 'learningRate' && name !== 'numEpochs';
    if (!(value > 0 && Number.isFinite(value)) || (whole && !Number.isInteger(value))) {
      throw refused(`${name} is ${value}; wanted is a ${whole ? 'whole ' : ''}number above 0.`);
    }
  }
  if (typeof given.baseModel !== 'string' || given.baseModel === '')
    throw refused('baseModel is missing: a directory or a hub id.');
  if (method === 'prm') return;
  const { environments, trainer = 'anneal', numGenerations } = given;
  if (!Array.isArray(environments) || environments.length === 0) {
    throw refused('environments is empty or no list; name at least one.');
  }
  const odd = (environments as unknown[]).find((name) => typeof name !== 'string' || !/^[^\p{Cc}]+$/u.test(name));
  if (odd !== undefined) throw refused(`environments: ${JSON.stringify(odd)} is no name of an environment.`);
  if (trainer !== 'anneal' && trainer !== 'axolotl')
    throw refused(`trainer is ${trainer}; wanted is anneal or axolotl.`);
  if (numGenerations === 1)
    throw refused('numGenerations is 1; answers are compared in groups, so wanted are 2 or more.');
}

function grpo(options: GrpoConfigOptions) {
  const { environments, trainer = 'anneal', datasetPath = 'data/train.jsonl', numGenerations = 8 } = options;
  const { sequenceLen = 2048, microBatchSize = 2, gradientAccumulationSteps = 4 } = options;
  const batch = microBatchSize * gradientAccumulationSteps;
  if (batch % numGenerations !== 0) {
    throw new GymError(
      `generateAxolotlConfig: microBatchSize × gradientAccumulationSteps is ${batch}, which is no multiple of numGenerations (${numGenerations}): groups would be cut.`,
    );
  }
  const anneal = trainer === 'anneal';
  return {
    head: [
      `Trains on ${environments.join(', ')} by GRPO, with verdicts of anneal's gym as rewards.`,
      anneal
        ? 'anneal train <this file>   (in the folder of rewards.mjs)'
        : 'anneal gym serve, then: ANNEAL_GYM_URL=… ANNEAL_GYM_KEY=… axolotl train <this file>   (in the folder of anneal_gym_rewards.py)',
    ],
    config: {
      base_model: options.baseModel,
      ...lora(options),
      rl: 'grpo',
      trl: {
        num_generations: numGenerations,
        max_completion_length: options.maxCompletionLength ?? Math.floor(sequenceLen / 2),
        reward_funcs: [anneal ? './rewards.mjs#rowReward' : 'anneal_gym_rewards.row_reward'],
      },
      // Axolotl takes rows as they are only where no type is given.
      datasets: [anneal ? { path: datasetPath, type: 'prompt' } : { path: datasetPath, split: 'train' }],
      val_set_size: 0,
      ...training(options, sequenceLen, microBatchSize, gradientAccumulationSteps),
      eval_batch_size: numGenerations,
      output_dir: options.outputDir ?? 'outputs/grpo',
    },
  };
}

function prm(options: PrmConfigOptions) {
  const { sequenceLen = 2048, microBatchSize = 2, gradientAccumulationSteps = 4, stepSeparator = '\n\n' } = options;
  return {
    head: ['Trains a process reward model on rows with prompt, completions and labels.', 'axolotl train <this file>'],
    config: {
      base_model: options.baseModel,
      model_type: 'AutoModelForTokenClassification',
      num_labels: 2,
      process_reward_model: true,
      ...lora(options),
      datasets: [
        {
          path: options.datasetPath ?? 'data/steps.jsonl',
          type: 'stepwise_supervised',
          step_separator: stepSeparator,
          train_on_last_step_only: false,
          split: 'train',
        },
      ],
      val_set_size: 0.01,
      evals_per_epoch: 10,
      remove_unused_columns: false,
      sample_packing: false,
      ...training(options, sequenceLen, microBatchSize, gradientAccumulationSteps),
      bf16: 'auto',
      gradient_checkpointing: true,
      output_dir: options.outputDir ?? 'outputs/prm',
    },
  };
}

function lora({ loraRank }: CommonOptions) {
  if (loraRank === undefined) return {};
  return { adapter: 'lora', lora_r: loraRank, lora_alpha: 2 * loraRank, lora_target_linear: true };
}

function training(options: CommonOptions, sequenceLen: number, microBatchSize: number, accumulation: number) {
  return {
    sequence_len: sequenceLen,
    micro_batch_size: microBatchSize,
    gradient_accumulation_steps: accumulation,
    ...(options.maxSteps === undefined ? { num_epochs: options.numEpochs ?? 1 } : { max_steps: options.maxSteps }),
    learning_rate: options.learningRate ?? 5e-6,
    lr_scheduler: 'cosine',
    optimizer: 'adamw_torch',
    max_grad_norm: 1,
    logging_steps: 1,
    save_strategy: 'epoch',
    seed: 42,
  };
}
