import type { RunConfig } from '../config/index.js';
import type { OptimStepParams } from '../engine/index.js';
import { createSchedule, learningRate } from '../methods/index.js';

/** The optimizer's parameters of the update that follows `step` finished ones. */
export function optimizerOf(config: RunConfig, totalSteps: number): (step: number) => OptimStepParams {
  const schedule = createSchedule(
    {
      learningRate: config.learning_rate,
      kind: config.lr_scheduler,
      ...(config.warmup_steps !== null && { warmupSteps: config.warmup_steps }),
      ...(config.warmup_ratio !== null && { warmupRatio: config.warmup_ratio }),
      ...(config.cosine_min_lr_ratio !== null && { cosineMinLrRatio: config.cosine_min_lr_ratio }),
    },
    totalSteps,
  );
  return (step) => ({
    learningRate: learningRate(schedule, step),
    beta1: config.adam_beta1,
    beta2: config.adam_beta2,
    epsilon: config.adam_epsilon,
    weightDecay: config.weight_decay,
    maxGradNorm: config.max_grad_norm,
  });
}
