import { isDeepStrictEqual } from 'node:util';
import type { RunConfig } from '../config/index.js';
import { shorten } from '../text/index.js';

/** What a run was made of, to tell whether another one continues it bit for bit. */
export interface Fingerprint {
  readonly config: Readonly<Record<string, unknown>>;
  readonly digests: Digests;
}

export interface Digests {
  /** Architecture and initial weights. */
  readonly model: string;
  readonly tokenizer: string;
  /** What is trained on, as the method sees it. */
  readonly data: string;
}

/** Keys that change what is written or shown, never a weight. */
const harmless: ReadonlySet<string> = new Set([
  'output_dir',
  'resume_from_checkpoint',
  'auto_resume_from_checkpoints',
  'save_strategy',
  'save_steps',
  'saves_per_epoch',
  'save_total_limit',
  'save_first_step',
  'eval_strategy',
  'eval_steps',
  'evals_per_epoch',
  'eval_batch_size',
  'eval_sample_packing',
  'logging_steps',
  'use_tensorboard',
]);

/** Keys that may change the last bits of a float, not the course of the training. */
const rounding: ReadonlySet<string> = new Set(['engine', 'gradient_checkpointing']);

const harmlessTrl = ['log_completions', 'num_completions_to_print', 'reward_timeout'];

/** Keys whose whole effect lies in a digest, so that a moved folder does not matter. */
const digested: Readonly<Record<keyof Digests, readonly string[]>> = {
  model: ['base_model', 'model_config'],
  tokenizer: ['tokenizer_config', 'special_tokens', 'chat_template', 'chat_template_jinja'],
  data: [
    'datasets',
    'test_datasets',
    'val_set_size',
    'shuffle_merged_datasets',
    'train_on_inputs',
    'min_sample_len',
    'excess_length_strategy',
    'chat_template_kwargs',
    'eot_tokens',
  ],
};

export function fingerprintOf(config: RunConfig, digests: Digests): Fingerprint {
  return { config: JSON.parse(JSON.stringify(config)) as Record<string, unknown>, digests };
}

export interface Comparison {
  /** Lines on what would make the continued run another one. */
  readonly differences: readonly string[];
  /** Lines on what may change the last bits of the result. */
  readonly warnings: readonly string[];
}

export function compareFingerprints(saved: Fingerprint, present: Fingerprint): Comparison {
  const differences: string[] = [];
  const warnings: string[] = [];
  const covered = new Set(Object.values(digested).flat());
  const keys = new Set([...Object.keys(saved.config), ...Object.keys(present.config)]);
  const changed = [...keys].filter(
    (key) => !isDeepStrictEqual(compared(key, saved.config[key]), compared(key, present.config[key])),
  );
  const line = (key: string): string =>
    changesOf(key, compared(key, saved.config[key]), compared(key, present.config[key])).join('; ');
  for (const key of changed) {
    if (harmless.has(key) || covered.has(key)) continue;
    (rounding.has(key) ? warnings : differences).push(line(key));
  }
  for (const part of ['model', 'tokenizer', 'data'] as const) {
    if (saved.digests[part] === present.digests[part]) continue;
    const causes = changed.filter((key) => digested[part].includes(key));
    const what = { model: 'the model to start from', tokenizer: 'the tokenizer', data: 'the training data' }[part];
    differences.push(
      causes.length === 0
        ? `${what} has changed, under the same config keys`
        : `${what} has changed: ${causes.map(line).join('; ')}`,
    );
  }
  return { differences, warnings };
}

function compared(key: string, value: unknown): unknown {
  if (key !== 'trl' || typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !harmlessTrl.includes(name)));
}

/** What differs within a value, each part under its dotted key. */
function changesOf(key: string, was: unknown, is: unknown): string[] {
  const parts = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
  if (!parts(was) || !parts(is)) return [`${key}: was ${show(was)}, is ${show(is)}`];
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names
    .filter((name) => !isDeepStrictEqual(was[name], is[name]))
    .flatMap((name) => changesOf(`${key}.${name}`, was[name], is[name]));
}

function show(value: unknown): string {
  return shorten(JSON.stringify(value ?? null), 120);
}
