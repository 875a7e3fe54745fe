import type { RunConfig } from './run-config.js';

/** What happens at which optimizer step. Steps are counted from 1. */
export interface Cadence {
  readonly loggingSteps: number;
  isEvalStep(step: number): boolean;
  isSaveStep(step: number): boolean;
}

/** Whether `step` is the whole step next to a multiple of `every`, which need not be whole. */
function hits(step: number, every: number): boolean {
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
 * Settles what depends on the length of the run: logging (0.5 % of the steps, between 1 and 10, unless given), evaluation and
 * checkpoints. The last step always evaluates and saves unless the strategy is `no`.
 *
 * @param run totalSteps and stepsPerEpoch in optimizer steps; stepsPerEpoch may be a fraction.
 */
export function cadence(
  config: RunConfig,
  run: { readonly totalSteps: number; readonly stepsPerEpoch: number },
): Cadence {
  return {
    loggingSteps: config.logging_steps ?? Math.max(1, Math.min(10, Math.floor(0.005 * run.totalSteps))),
    isEvalStep: (step) => onCadence(step, config.eval_strategy, config.eval_steps, config.evals_per_epoch, run),
    isSaveStep: (step) =>
      (config.save_first_step && step === 1) ||
      onCadence(step, config.save_strategy, config.save_steps, config.saves_per_epoch, run),
  };
}
