import { cadence, type Decision, type RunConfig } from '../config/index.js';
import type { OptimStepParams } from '../engine/index.js';
import { createSchedule, learningRate, type Schedule } from '../methods/index.js';

function scheduleOf(config: RunConfig, totalSteps: number): Schedule {
  return createSchedule(
    {
      learningRate: config.learning_rate,
      kind: config.lr_scheduler,
      ...(config.warmup_steps !== null && { warmupSteps: config.warmup_steps }),
      ...(config.warmup_ratio !== null && { warmupRatio: config.warmup_ratio }),
      ...(config.cosine_min_lr_ratio !== null && { cosineMinLrRatio: config.cosine_min_lr_ratio }),
    },
    totalSteps,
  );
}

/** What the number of steps decides where the config leaves it open: warm-up and logging. */
export function decidedBySteps(config: RunConfig, totalSteps: number): Decision[] {
  const decisions: Decision[] = [];
  if (config.warmup_steps === null && config.lr_scheduler !== 'constant') {
    const reason =
      config.warmup_ratio === null ? '3 % of the steps, at most 100' : `warmup_ratio ${config.warmup_ratio}`;
    decisions.push({ key: 'warmup_steps', value: scheduleOf(config, totalSteps).warmupSteps, reason });
  }
  if (config.logging_steps === null) {
    const value = cadence(config, { totalSteps, stepsPerEpoch: totalSteps }).loggingSteps;
    decisions.push({ key: 'logging_steps', value, reason: '0.5 % of the steps, between 1 and 10' });
  }
  return decisions;
}

/** The optimizer's parameters of the update that follows `step` finished ones. */
export function optimizerOf(config: RunConfig, totalSteps: number): (step: number) => OptimStepParams {
  const schedule = scheduleOf(config, totalSteps);
  return (step) => ({
    learningRate: learningRate(schedule, step),
    beta1: config.adam_beta1,
    beta2: config.adam_beta2,
    epsilon: config.adam_epsilon,
    weightDecay: config.weight_decay,
    maxGradNorm: config.max_grad_norm,
  });
}
