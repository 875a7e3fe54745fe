import { UserError } from '../config/index.js';
import { createRandom, shuffled } from '../random/index.js';
import { epochOrder } from './order.js';
import { packBins } from './packing.js';

export interface BatchConfig {
  readonly micro_batch_size: number;
  readonly gradient_accumulation_steps: number;
  readonly sequence_len: number;
  /** Fill each micro-batch with examples up to `micro_batch_size` × `sequence_len` tokens. */
  readonly sample_packing: boolean;
}

export interface RunLength {
  /** May be a fraction: 0.5 stops half-way through the first epoch. */
  readonly num_epochs: number;
  /** Ends the run after this many steps, whatever `num_epochs` says; epochs repeat until then. */
  readonly max_steps: number | null;
}

/** Micro-batches of example indices that together make one optimizer step. */
export type StepBatches = readonly (readonly number[])[];

export interface BatchRequest {
  /** Tokens of each example. */
  readonly lengths: readonly number[];
  readonly config: BatchConfig;
  readonly seed: number;
  readonly epoch: number;
}

/**
 * The optimizer steps of one epoch. Every example appears exactly once; the last micro-batch of the epoch may be smaller and
 * its last step may have fewer micro-batches. Depends on its arguments alone; the number of steps is the same in all epochs.
 */
export function planBatches({ lengths, config, seed, epoch }: BatchRequest): StepBatches[] {
  const order = epochOrder(lengths.length, seed, epoch);
  if (!config.sample_packing) return cut(cut(order, config.micro_batch_size), config.gradient_accumulation_steps);
  const bins = packBins(lengths, order, config.micro_batch_size * config.sequence_len);
  // Packing leaves the longest examples in the first bins; the epoch shall not begin with them.
  return cut(shuffled(bins, createRandom(seed, epoch, 1)), config.gradient_accumulation_steps);
}

function cut<T>(items: readonly T[], size: number): T[][] {
  const pieces: T[][] = [];
  for (let start = 0; start < items.length; start += size) pieces.push(items.slice(start, start + size));
  return pieces;
}

/** The next step to run. Both count from 0; `step` counts within the epoch. */
export interface Cursor {
  readonly epoch: number;
  readonly step: number;
}

export interface PlannedStep {
  readonly epoch: number;
  readonly step: number;
  /** Counted from 0 over the whole run. */
  readonly globalStep: number;
  /** Epochs done after this step, as a fraction. */
  readonly epochsDone: number;
  readonly microBatches: StepBatches;
  /** Where a run goes on after this step: save it in the checkpoint. */
  readonly next: Cursor;
}

export interface TrainingPlan {
  /** Counted on the real batches, not estimated. */
  readonly totalSteps: number;
  readonly stepsPerEpoch: number;
  /** The steps from `from` (default: the start) to the end. The same cursor always gives the same steps. */
  steps(from?: Cursor): Generator<PlannedStep>;
}

export interface PlanRequest {
  readonly lengths: readonly number[];
  readonly config: BatchConfig & RunLength;
  readonly seed: number;
}

/** Plans a run from start to end. A fraction of an epoch is rounded up to whole steps, one at least. */
export function planTraining({ lengths, config, seed }: PlanRequest): TrainingPlan {
  if (lengths.length === 0) throw new UserError('There is no training example to plan a run with.');
  const stepsPerEpoch = planBatches({ lengths, config, seed, epoch: 0 }).length;
  // 1.1 epochs of 10 steps are 11.000000000000002 steps in floating point.
  const totalSteps = config.max_steps ?? Math.max(1, Math.ceil(config.num_epochs * stepsPerEpoch - 1e-6));

  function* steps(from: Cursor = { epoch: 0, step: 0 }): Generator<PlannedStep> {
    let { epoch, step } = from;
    let batches = planBatches({ lengths, config, seed, epoch });
    for (let globalStep = epoch * stepsPerEpoch + step; globalStep < totalSteps; globalStep++) {
      const next = step + 1 === stepsPerEpoch ? { epoch: epoch + 1, step: 0 } : { epoch, step: step + 1 };
      yield {
        epoch,
        step,
        globalStep,
        epochsDone: epoch + (step + 1) / stepsPerEpoch,
        microBatches: batches[step] as StepBatches,
        next,
      };
      if (next.epoch !== epoch) batches = planBatches({ lengths, config, seed, epoch: next.epoch });
      ({ epoch, step } = next);
    }
  }

  return { totalSteps, stepsPerEpoch, steps };
}
