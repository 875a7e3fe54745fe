import { z } from 'zod';
import { count, flag, optional, positiveNumber, stepsOrShare, text } from './primitives.js';

export const trainingKeys = {
  micro_batch_size: count
    .default(1)
    .describe(
      'Sequences in one forward and backward pass. At least two of `micro_batch_size`, `gradient_accumulation_steps` and `batch_size` are given.',
    ),
  gradient_accumulation_steps: count.default(1).describe('Passes before each optimizer step. Excludes `batch_size`.'),
  batch_size: optional(count).describe('Sequences in one optimizer step: a multiple of `micro_batch_size`.'),
  eval_batch_size: optional(count).describe('Sequences in one evaluation pass. Unset: `micro_batch_size`.'),
  num_epochs: z.number().positive().max(1e6).default(1).describe('Passes over the training data; may be a fraction.'),
  max_steps: optional(count).describe('Optimizer steps of the run. Given, it wins over `num_epochs`.'),
  learning_rate: positiveNumber.describe('Peak learning rate, such as `2e-4`.'),
  optimizer: z
    .enum(['adamw', 'adamw_torch', 'adamw_torch_fused'])
    .transform(() => 'adamw' as const)
    .prefault('adamw')
    .describe('AdamW with decoupled weight decay; the three names mean the same.'),
  adam_beta1: z.number().min(0).lt(1).default(0.9).describe('Decay of the first moment.'),
  adam_beta2: z.number().min(0).lt(1).default(0.999).describe('Decay of the second moment.'),
  adam_epsilon: z.number().positive().default(1e-8).describe('Added to the root of the second moment.'),
  weight_decay: z.number().min(0).default(0).describe('Decoupled weight decay.'),
  max_grad_norm: z.number().min(0).default(1).describe('Global L2 norm the gradient is clipped to; 0 clips nothing.'),
  warmup_steps: optional(z.number().int().min(0)).describe('Steps of linear warm-up. Excludes `warmup_ratio`.'),
  warmup_ratio: optional(z.number().min(0).max(1)).describe(
    'Share of all steps spent on warm-up. With neither key: 3 % of the steps, at most 100.',
  ),
  lr_scheduler: z
    .enum(['cosine', 'linear', 'constant', 'constant_with_warmup'])
    .default('cosine')
    .describe('Course of the learning rate after warm-up. `constant` has no warm-up.'),
  cosine_min_lr_ratio: optional(z.number().min(0).max(1)).describe(
    'The cosine ends at this share of `learning_rate` instead of 0.',
  ),
  gradient_checkpointing: flag(false).describe('Recompute each layer in the backward pass: less memory, more time.'),
};

export const evalAndSaveKeys = {
  eval_strategy: optional(z.enum(['no', 'steps', 'epoch'])).describe(
    'When to evaluate. Unset: `steps` when steps are given, else `epoch` when there is evaluation data.',
  ),
  eval_steps: optional(stepsOrShare).describe('Evaluate every so many steps; below 1 a share of all steps.'),
  evals_per_epoch: optional(count).describe('Evaluations in each epoch. Excludes `eval_steps`.'),
  save_strategy: optional(z.enum(['no', 'steps', 'epoch'])).describe(
    'When to write a checkpoint. Unset: `steps` when steps are given, else `epoch`. The final model is always written.',
  ),
  save_steps: optional(stepsOrShare).describe('Write a checkpoint every so many steps; below 1 a share of all steps.'),
  saves_per_epoch: optional(count).describe('Checkpoints in each epoch. Excludes `save_steps`.'),
  save_total_limit: count.default(4).describe('Checkpoints kept; older ones are removed.'),
  save_first_step: flag(false).describe('Write a checkpoint after the first step, to see early that it works.'),
  logging_steps: optional(count).describe('Log every so many steps. Unset: 0.5 % of the steps, between 1 and 10.'),
  resume_from_checkpoint: optional(text).describe('A `checkpoint-N` directory to continue from.'),
  auto_resume_from_checkpoints: flag(false).describe(
    'Continue from the latest checkpoint in `output_dir`, if there is one.',
  ),
  output_dir: text
    .default('./model-out')
    .describe(
      'Everything the run writes; relative to the working directory. A new run refuses one that holds a model or checkpoints, and touches nothing in it.',
    ),
  use_tensorboard: flag(true).describe('Write TensorBoard events to `output_dir/runs`.'),
};

export const engineKeys = {
  engine: z
    .strictObject({
      type: z.enum(['local']).default('local').describe('Where the computing is done. `local`: in this process.'),
      device: z.enum(['cpu', 'webgpu']).default('cpu').describe('Device of the local engine.'),
      threads: optional(count.max(256)).describe('Threads of the local engine. Unset: the cores this process may use.'),
    })
    .prefault({})
    .describe('The compute engine. (Own to anneal.)'),
};
