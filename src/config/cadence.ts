import type { RunConfig } from './run-config.js';

/** What happens at which optimizer step. Steps are counted from 1. */
export interface Cadence {
  readonly warmupSteps: number;
  readonly loggingSteps: number;
  isEvalStep(step: number): boolean;
  isSaveStep(step: number): boolean;
}

/** Whether `step` is the last one at or before a multiple of `every`, which may be a fraction of a step count. */
function hits(step: number, every: number): boolean {
  // Rounding noise of a share such as 0.1 · 30 must not move the step.
  const multiple = Math.round(step / every);
  return multiple > 0 && Math.max(1, Math.round(multiple * every)) === step;
}

function onCadence(
  step: number,
  strategy: 'no' | 'steps' | 'epoch',
  steps: number | null,
  perEpoch: number | null,
  run: { readonly totalSteps: number; readonly stepsPerEpoch: number },
): boolean {
  if (strategy === 'no') return false;
  if (step === run.totalSteps) return true;
  if (strategy === 'epoch') return hits(step, run.stepsPerEpoch);
  if (steps !== null) return steps >= 1 ? step % steps === 0 : hits(step, Math.max(1, steps * run.totalSteps));
  return perEpoch !== null && hits(step, Math.max(1, run.stepsPerEpoch / perEpoch));
}

/**
 * Settles what depends on the length of the run: warm-up (3 % of the steps, at most 100, and 2 rather than 1, unless given),
 * logging (0.5 % of the steps, between 1 and 10), evaluation and checkpoints. The last step always evaluates and saves
 * unless the strategy is `no`.
 *
 * @param run totalSteps and stepsPerEpoch in optimizer steps; stepsPerEpoch may be a fraction.
 */
export function cadence(
  config: RunConfig,
  run: { readonly totalSteps: number; readonly stepsPerEpoch: number },
): Cadence {
  const automatic = Math.min(Math.floor(0.03 * run.totalSteps), 100);
  const warmup =
    config.lr_scheduler === 'constant'
      ? 0
      : (config.warmup_steps ??
        (config.warmup_ratio !== null
          ? Math.ceil(config.warmup_ratio * run.totalSteps)
          : automatic === 1
            ? 2
            : automatic));
  return {
    warmupSteps: warmup,
    loggingSteps: config.logging_steps ?? Math.max(1, Math.min(10, Math.floor(0.005 * run.totalSteps))),
    isEvalStep: (step) => onCadence(step, config.eval_strategy, config.eval_steps, config.evals_per_epoch, run),
    isSaveStep: (step) =>
      (config.save_first_step && step === 1) ||
      onCadence(step, config.save_strategy, config.save_steps, config.saves_per_epoch, run),
  };
}
