import { z } from 'zod';
import { count, flag, optional, text } from './primitives.js';

export const trl = z.strictObject({
  num_generations: z
    .number()
    .int()
    .min(2, { error: 'expected at least 2: advantages compare the answers of a group' })
    .default(8)
    .describe('Completions for each prompt (the group).'),
  max_completion_length: optional(count).describe(
    'Longest completion in tokens. Unset: 512, at most half of `sequence_len`.',
  ),
  beta: optional(z.number().min(0)).describe(
    'Weight of the KL term to the frozen reference. Unset: `rl_beta`, else 0 (no reference).',
  ),
  epsilon: z.number().positive().default(0.2).describe('The probability ratio is clipped below at `1 − epsilon`.'),
  epsilon_high: optional(z.number().positive()).describe(
    'It is clipped above at `1 + epsilon_high`. Unset: `epsilon`.',
  ),
  loss_type: z
    .enum(['grpo', 'bnpo', 'dr_grpo', 'dapo'])
    .default('dapo')
    .describe(
      'How token losses are averaged. `grpo`: over each sequence, then over sequences. `bnpo`: over the tokens of the pass. `dr_grpo`: sum / (sequences · `max_completion_length`). `dapo`: over the tokens of the step.',
    ),
  scale_rewards: z
    .union([z.enum(['group', 'batch', 'none']), z.boolean()], { error: 'expected group, batch, none, true or false' })
    .transform((value) => (value === true ? 'group' : value === false ? 'none' : value))
    .prefault('group')
    .describe(
      'Divide advantages by the deviation of the rewards in the group, in the batch, or not. `true` = group, `false` = none.',
    ),
  mask_truncated_completions: flag(false).describe('Completions cut off at the length limit carry no loss.'),
  num_iterations: count.default(1).describe('Optimizer passes over each batch of completions.'),
  importance_sampling_level: z
    .enum(['token', 'sequence'])
    .default('token')
    .describe('Probability ratios per token, or one per sequence (GSPO).'),
  temperature: z.number().positive().default(1).describe('Sampling temperature.'),
  top_p: z.number().gt(0).max(1).default(1).describe('Sample from the smallest set of tokens with this probability.'),
  top_k: z.number().int().min(0).default(0).describe('Sample from the k likeliest tokens; 0 = all.'),
  min_p: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Leave out tokens below this share of the likeliest token’s probability.'),
  repetition_penalty: z.number().positive().default(1).describe('Above 1 makes tokens that have occurred less likely.'),
  reward_funcs: z
    .array(
      z.union([text, z.looseObject({ name: text.describe('Name of a built-in reward.') })], {
        error: 'expected the name of a reward, or {name: …} with the parameters of a built-in one',
      }),
    )
    .default([])
    .describe(
      'Rewards: `./file.ts#name` for an exported function, the name of a built-in one, or `{name: …}` with its parameters, such as `{name: length, max: 200}`. Their weighted sum counts. Needed unless there are `environments`.',
    ),
  reward_weights: optional(z.array(z.number())).describe('One weight for each reward. Unset: all 1.'),
  reward_timeout: z
    .number()
    .positive()
    .max(86_400)
    .default(120)
    .describe(
      'Seconds for one call of a reward, which judges all completions of a step. Completions of a call that takes longer get no verdict. (Own to anneal.)',
    ),
  log_completions: flag(false).describe('Print sampled completions at each logged step.'),
  num_completions_to_print: optional(count).describe('How many of them to print. Unset: all.'),
  generation_batch_size: optional(count).describe(
    'Completions sampled at once: a multiple of the batch of an optimizer step. Unset: that batch.',
  ),
});

const environment = z.union(
  [
    text,
    z.strictObject({
      name: text.describe('Name of a built-in environment (`anneal gym list`), or the folder of one.'),
      variant: optional(text).describe(
        'Which cases judge the answers, such as `train` or `train@7`. Unset: its default.',
      ),
      eval_variant: text.default('eval').describe('Which cases judge them in evaluation.'),
      language: optional(text).describe('Language of the answers. Unset: the first that the environment knows.'),
    }),
  ],
  { error: 'expected the name of an environment, or {name: …} with its variant or language' },
);

export const gym = z.strictObject({
  sandbox: z
    .enum(['local', 'daytona', 'e2b', 'none'])
    .default('local')
    .describe(
      'Where answers run. `local`: bubblewrap on this machine. `none`: ordinary processes of yours, for answers that you trust.',
    ),
  workers: optional(count).describe('Answers judged at a time. Unset: the number of cores.'),
  retries: z.number().int().min(0).default(2).describe('Further attempts when the sandbox or a verifier fails.'),
  reward: text
    .default('score')
    .describe('What of a verdict is the reward: `score`, `passed` (1 or 0), or the name of a component.'),
  weight: z.number().default(1).describe('Its weight beside `trl.reward_funcs`.'),
  traces: flag(false).describe('Store every judged answer in `traces` in the output directory.'),
});

export const rlKeys = {
  rl: optional(z.enum(['grpo'])).describe(
    'The method. Unset: supervised fine-tuning. `grpo`: group-relative policy optimisation.',
  ),
  rl_beta: optional(z.number().min(0)).describe('The same as `trl.beta`.'),
  trl: optional(trl).describe('Options of `rl: grpo`.'),
  environments: optional(z.array(environment).min(1)).describe(
    'Environments of the gym: each is a prompt, and its verifier the reward. Instead of `datasets`. (Own to anneal.)',
  ),
  gym: optional(gym).describe('How answers to `environments` are judged. (Own to anneal.)'),
};
