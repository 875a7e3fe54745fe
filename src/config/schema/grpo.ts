import { z } from 'zod';
import { count, flag, optional, text } from './primitives.js';

const trl = z.strictObject({
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
    .min(1)
    .describe(
      'Rewards: `./file.ts#name` for an exported function, the name of a built-in one, or `{name: …}` with its parameters, such as `{name: length, max: 200}`. Their weighted sum counts.',
    ),
  reward_weights: optional(z.array(z.number())).describe('One weight for each reward. Unset: all 1.'),
  log_completions: flag(false).describe('Print sampled completions at each logged step.'),
  num_completions_to_print: optional(count).describe('How many of them to print. Unset: all.'),
  generation_batch_size: optional(count).describe(
    'Completions sampled at once: a multiple of the batch of an optimizer step. Unset: that batch.',
  ),
});

export const rlKeys = {
  rl: optional(z.enum(['grpo'])).describe(
    'The method. Unset: supervised fine-tuning. `grpo`: group-relative policy optimisation.',
  ),
  rl_beta: optional(z.number().min(0)).describe('The same as `trl.beta`.'),
  trl: optional(trl).describe('Options of `rl: grpo`.'),
};
