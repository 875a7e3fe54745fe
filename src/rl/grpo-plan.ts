import { epochOrder } from '../data/index.js';

export interface GrpoPlanRequest {
  readonly prompts: number;
  readonly seed: number;
  readonly numGenerations: number;
  /** Completions sampled at once. */
  readonly generationBatchSize: number;
  /** Completions of an optimizer step. */
  readonly batchSize: number;
  /** Passes over each batch of completions. */
  readonly numIterations: number;
  /** May be a fraction. */
  readonly numEpochs: number;
  /** Wins over `numEpochs`. */
  readonly maxSteps: number | null;
}

/** The next generation to sample; both count from 0, `generation` within its epoch. */
export interface GrpoCursor {
  readonly epoch: number;
  readonly generation: number;
}

export interface PlannedGeneration {
  /** Indices of the prompts, in order. */
  readonly prompts: readonly number[];
  /** Optimizer steps done before it. */
  readonly firstStep: number;
  /** The completions of each of its optimizer steps: the slice from `start` to `end` of prompts × numGenerations. */
  readonly updates: readonly PlannedUpdate[];
  /** Where a run goes on after it. */
  readonly next: GrpoCursor;
}

export interface PlannedUpdate {
  readonly start: number;
  readonly end: number;
  /** Epochs done after it, as a fraction. */
  readonly epochsDone: number;
}

export interface GrpoPlan {
  readonly totalSteps: number;
  readonly stepsPerEpoch: number;
  /** The generations from `from` (default: the start) to the end. The same cursor always gives the same ones. */
  generations(from?: GrpoCursor): Generator<PlannedGeneration>;
}

/**
 * Plans a GRPO run. Each epoch visits every prompt once in an order of its own; the last generation of an epoch may be
 * smaller. A generation of G completions is cut into optimizer steps of `batchSize`, and all of them are run
 * `numIterations` times. A fraction of an epoch is rounded up to whole steps.
 */
export function planGrpo(request: GrpoPlanRequest): GrpoPlan {
  const { prompts, seed, numGenerations, batchSize, numIterations } = request;
  const promptsAtOnce = request.generationBatchSize / numGenerations;
  const perEpoch = Math.ceil(prompts / promptsAtOnce);
  const promptsOf = (generation: number) => Math.min(promptsAtOnce, prompts - generation * promptsAtOnce);
  const stepsOf = (generation: number) =>
    Math.ceil((promptsOf(generation) * numGenerations) / batchSize) * numIterations;
  const stepsBefore = [0];
  for (let generation = 0; generation < perEpoch; generation++) {
    stepsBefore.push(stepsBefore[generation]! + stepsOf(generation));
  }
  const stepsPerEpoch = stepsBefore[perEpoch]!;
  // 1.1 epochs of 10 steps are 11.000000000000002 steps in floating point.
  const totalSteps = request.maxSteps ?? Math.max(1, Math.ceil(request.numEpochs * stepsPerEpoch - 1e-6));

  function* generations({ epoch, generation }: GrpoCursor = { epoch: 0, generation: 0 }): Generator<PlannedGeneration> {
    let order = epochOrder(prompts, seed, epoch);
    for (;;) {
      const firstStep = epoch * stepsPerEpoch + stepsBefore[generation]!;
      if (firstStep >= totalSteps) return;
      const completions = promptsOf(generation) * numGenerations;
      const slices = Math.ceil(completions / batchSize);
      const updates = Array.from(
        { length: Math.min(stepsOf(generation), totalSteps - firstStep) },
        (_, update): PlannedUpdate => ({
          start: (update % slices) * batchSize,
          end: Math.min(completions, ((update % slices) + 1) * batchSize),
          epochsDone: (firstStep + update + 1) / stepsPerEpoch,
        }),
      );
      const from = generation * promptsAtOnce;
      const last = generation + 1 === perEpoch;
      const next = last ? { epoch: epoch + 1, generation: 0 } : { epoch, generation: generation + 1 };
      yield { prompts: order.slice(from, from + promptsOf(generation)), firstStep, updates, next };
      if (last) order = epochOrder(prompts, seed, next.epoch);
      ({ epoch, generation } = next);
    }
  }

  return { totalSteps, stepsPerEpoch, generations };
}
