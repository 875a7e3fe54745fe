import { z } from 'zod';
import { languages } from '../language.js';

/** Characters of one answer. */
const answerLimit = 500_000;

const message = z.object({
  role: z.string(),
  content: z
    .union([
      z.string().max(answerLimit),
      z.array(z.object({ type: z.string().optional(), text: z.string().max(answerLimit).nullish() })),
      z.null(),
    ])
    .optional(),
});

/** A text, or the messages of a conversation. */
export const completion = z.union(
  [
    z.string().max(answerLimit, { error: `an answer has at most ${answerLimit} characters` }),
    z.array(message).max(1000),
  ],
  { error: `expected a text of at most ${answerLimit} characters, or a list of messages` },
);

/** A name, or an environment of the DeepGym kind with its verifier, which is checked where it is read. */
const environment = z.union([z.string().min(1).max(200), z.record(z.string(), z.unknown())], {
  error: 'expected the name of an environment, or an object with task and verifier_code',
});

const choice = {
  variant: z.string().min(1).max(200).optional(),
  language: z.enum(languages).optional(),
  /** Whether the last fenced code block of a text is taken. */
  extract: z.boolean().default(true),
};
const parallel = z.number().int().min(1).max(100).default(10);

export const run = z.object({ environment, ...choice, model_output: completion });
export const batch = z.object({
  environment,
  ...choice,
  outputs: z.array(completion).max(1000),
  max_parallel: parallel,
});
export const evaluation = z.object({
  suite: z.string().min(1).max(1000),
  ...choice,
  model_outputs: z
    .record(z.string(), completion)
    .refine((outputs) => Object.keys(outputs).length <= 500, { error: 'expected at most 500 answers' }),
  max_parallel: parallel.default(100),
});
export const namedRun = run.omit({ environment: true });

const texts = z.array(z.unknown()).max(10_000).optional();
export const rewards = z.object({
  prompts: texts,
  completions: z.array(completion).max(10_000),
  columns: z.record(z.string(), z.array(z.unknown())).default({}),
  environment: z.string().min(1).max(200).optional(),
  variant: choice.variant,
  language: choice.language,
  component: z.string().min(1).max(200).optional(),
});
export const scores = z.object({
  prompts: texts,
  outputs: z.array(completion).max(10_000),
  environment: z.string().min(1).max(200).optional(),
  variant: choice.variant,
});
export const openrlhf = z.object({
  query: z.array(z.string().max(2 * answerLimit)).max(10_000),
  prompts: z.array(z.string()).optional(),
  labels: z.array(z.unknown()).optional(),
});
export const verl = z.object({
  data_source: z.string().nullish(),
  solution_str: completion,
  ground_truth: z.unknown().optional(),
  extra_info: z.unknown().optional(),
});

const ratio = z.number().min(0).max(1);
export const benchmarkAudit = z.object({
  environment_ids: z.array(z.string()).min(1).max(1000),
  benchmark: z.string().default('custom'),
  seed: z.number().int().default(0),
  public_eval_ratio: ratio.default(0.2),
  holdout_ratio: ratio.default(0.1),
  canary_ratio: ratio.default(0.05),
  split_overrides: z.record(z.string(), z.string()).default({}),
});
export const verifierAudit = z.object({
  environment,
  verifier_id: z.string().optional(),
  benchmark: z.string().default('custom'),
  strategies: z.array(z.string()).optional(),
});
export const namedAudit = verifierAudit.omit({ environment: true });
