import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Path } from './introspect.js';
import { findInput, isFile, looksLikeHubId, nearbyPath, outputPath, type SearchPath } from './paths.js';
import type { DatasetConfig, Decision, RunConfig, TrlConfig } from './run-config.js';
import { gym as gymSchema, trl as trlSchema } from './schema/grpo.js';
import type { ParsedConfig, ParsedDataset } from './schema/index.js';

export interface ResolveContext {
  readonly search: SearchPath;
  /** Complain when an input file does not exist. */
  readonly checkPaths: boolean;
  report(path: Path, message: string): void;
  decide(decision: Decision): void;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}

function resolveInput(key: Path, path: string, what: string, context: ResolveContext): string {
  const found = findInput(path, context.search);
  if (!found.exists && context.checkPaths) {
    context.report(
      key,
      `no such ${what}: ${JSON.stringify(path)}; looked for ${found.tried.join(' and ')}${nearbyPath(found.tried)}`,
    );
  }
  if (found.exists && found.path !== found.tried[0]) {
    context.decide({
      key: key.join('.'),
      value: found.path,
      reason: 'not in the working directory, found beside the config',
    });
  }
  return found.path;
}

function resolveModel(key: Path, name: string, context: ResolveContext): string {
  if (looksLikeHubId(name) && !findInput(name, context.search).exists) {
    context.decide({ key: key.join('.'), value: name, reason: 'no local path of this name, so it is a hub id' });
    return name;
  }
  return resolveInput(key, name, 'model directory or file', context);
}

function resolveTemplate(key: Path, value: string | null, context: ResolveContext): string | null {
  if (value === null || /[{\n]/.test(value)) return value;
  const path = resolveInput(key, value, 'template file', context);
  return isFile(path) ? readFileSync(path, 'utf8') : value;
}

function resolveModelConfig(
  value: ParsedConfig['model_config'],
  context: ResolveContext,
): Record<string, unknown> | null {
  if (typeof value !== 'string') return value;
  const path = resolveInput(['model_config'], value, 'file', context);
  if (!isFile(path)) return {};
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
    context.report(['model_config'], `${path} holds no mapping`);
  } catch (error) {
    context.report(['model_config'], `${path} is no valid JSON: ${(error as Error).message}`);
  }
  return {};
}

function resolveDataset(
  entry: ParsedDataset,
  key: Path,
  shared: { readonly template: string; readonly jinja: string | null },
  context: ResolveContext,
): DatasetConfig {
  const path = resolveInput([...key, 'path'], entry.path, 'file or folder', context);
  if (entry.type !== 'chat_template' && entry.type !== 'prompt') return { ...entry, path };
  const own = resolveTemplate([...key, 'chat_template_jinja'], entry.chat_template_jinja, context);
  const jinja = entry.chat_template === null || entry.chat_template === 'jinja' ? (own ?? shared.jinja) : own;
  const template = {
    chat_template: entry.chat_template ?? (own === null ? shared.template : 'jinja'),
    chat_template_jinja: jinja,
  };
  if (entry.type === 'prompt') return { ...entry, path, ...template };
  return {
    ...entry,
    path,
    ...template,
    message_property_mappings: { role: 'role', content: 'content', ...entry.message_property_mappings },
    train_on_eot: entry.train_on_eot ?? entry.train_on_eos,
  };
}

function resolveTrl(config: ParsedConfig, batchSize: number, context: ResolveContext): TrlConfig | null {
  const trl = config.trl ?? (config.environments === null ? null : trlSchema.parse({}));
  if (trl === null) return null;
  const half = Math.floor(config.sequence_len / 2);
  const completion = trl.max_completion_length ?? Math.max(1, Math.min(512, half));
  if (trl.max_completion_length === null) {
    const reason = half < 512 ? `half of sequence_len (${config.sequence_len}), so that prompts have room` : 'default';
    context.decide({ key: 'trl.max_completion_length', value: completion, reason });
  }
  return {
    ...trl,
    max_completion_length: completion,
    beta: trl.beta ?? config.rl_beta ?? 0,
    epsilon_high: trl.epsilon_high ?? trl.epsilon,
    reward_weights: trl.reward_weights ?? trl.reward_funcs.map(() => 1),
    reward_funcs: trl.reward_funcs.map((reward, index) => {
      if (typeof reward !== 'string') return reward;
      const [file, exported] = reward.split('#');
      if (exported === undefined) return reward;
      return `${resolveInput(['trl', 'reward_funcs', index], file!, 'file', context)}#${exported}`;
    }),
    generation_batch_size: trl.generation_batch_size ?? batchSize,
  };
}

/** A name is looked up in the registry of the gym; what is written as a path is found as files are. */
function resolveEnvironments(config: ParsedConfig, context: ResolveContext): RunConfig['environments'] {
  if (config.environments === null) return null;
  return config.environments.map((entry, index) => {
    const { name, ...rest } =
      typeof entry === 'string' ? { name: entry, variant: null, eval_variant: 'eval', language: null } : entry;
    const isPath = /^\.{0,2}[\\/]/.test(name);
    return { name: isPath ? resolveInput(['environments', index], name, 'folder', context) : name, ...rest };
  });
}

function resolveStrategy(
  what: 'eval' | 'save',
  config: ParsedConfig,
  hasEvaluation: boolean,
  context: ResolveContext,
): 'no' | 'steps' | 'epoch' {
  const key = `${what}_strategy` as const;
  const chosen = config[key];
  if (chosen !== null) return chosen;
  const cadence =
    what === 'eval' ? (config.eval_steps ?? config.evals_per_epoch) : (config.save_steps ?? config.saves_per_epoch);
  if (cadence !== null) return 'steps';
  if (what === 'eval' && !hasEvaluation) return 'no';
  const reason = what === 'eval' ? 'there is evaluation data and no eval_steps' : 'no save_steps or saves_per_epoch';
  context.decide({ key, value: 'epoch', reason });
  return 'epoch';
}

/** Fills in everything that follows from other keys, makes paths absolute, and says what was decided. */
export function resolveConfig(config: ParsedConfig, context: ResolveContext): RunConfig {
  const { rl_beta: _, ...kept } = config;
  const base = config.base_model === null ? null : resolveModel(['base_model'], config.base_model, context);
  const tokenizer =
    config.tokenizer_config === null
      ? (base ?? '')
      : resolveModel(['tokenizer_config'], config.tokenizer_config, context);

  const jinja = resolveTemplate(['chat_template_jinja'], config.chat_template_jinja, context);
  const template = config.chat_template ?? (jinja === null ? 'tokenizer_default' : 'jinja');
  const datasets = (list: 'datasets' | 'test_datasets', entries: readonly ParsedDataset[]) =>
    entries.map((entry, index) => resolveDataset(entry, [list, index], { template, jinja }, context));

  const micro = config.micro_batch_size;
  const batch = config.batch_size ?? micro * config.gradient_accumulation_steps;
  if (config.batch_size !== null) {
    const reason = `batch_size ${batch} / micro_batch_size ${micro}`;
    context.decide({ key: 'gradient_accumulation_steps', value: batch / micro, reason });
  }
  const threads = config.engine.threads ?? availableParallelism();
  if (config.engine.threads === null) {
    context.decide({ key: 'engine.threads', value: threads, reason: 'the cores this process may use' });
  }
  if (config.warmup_steps === null && config.warmup_ratio === null && config.lr_scheduler !== 'constant') {
    context.decide({
      key: 'warmup_steps',
      value: '3 % of the steps, at most 100',
      reason: 'neither warmup_steps nor warmup_ratio',
    });
  }
  const hasEvaluation = config.val_set_size > 0 || config.test_datasets !== null || config.environments !== null;

  return deepFreeze({
    ...kept,
    base_model: base,
    model_config: resolveModelConfig(config.model_config, context),
    tokenizer_config: tokenizer,
    chat_template: template,
    chat_template_jinja: jinja,
    lora_model_dir:
      config.lora_model_dir === null
        ? null
        : resolveInput(['lora_model_dir'], config.lora_model_dir, 'adapter directory', context),
    datasets: datasets('datasets', config.datasets),
    test_datasets: config.test_datasets === null ? null : datasets('test_datasets', config.test_datasets),
    eval_sample_packing: config.eval_sample_packing ?? config.sample_packing,
    gradient_accumulation_steps: batch / micro,
    batch_size: batch,
    eval_batch_size: config.eval_batch_size ?? micro,
    eval_strategy: resolveStrategy('eval', config, hasEvaluation, context),
    save_strategy: resolveStrategy('save', config, hasEvaluation, context),
    resume_from_checkpoint:
      config.resume_from_checkpoint === null
        ? null
        : resolveInput(['resume_from_checkpoint'], config.resume_from_checkpoint, 'checkpoint directory', context),
    output_dir: outputPath(config.output_dir, context.search),
    trl: resolveTrl(config, batch, context),
    environments: resolveEnvironments(config, context),
    gym: config.environments === null ? null : (config.gym ?? gymSchema.parse({})),
    engine: { ...config.engine, threads },
  });
}
