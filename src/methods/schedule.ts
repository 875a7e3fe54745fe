export type ScheduleKind = 'constant' | 'constant_with_warmup' | 'linear' | 'cosine';

/** How the learning rate runs over a training. */
export interface Schedule {
  readonly kind: ScheduleKind;
  readonly peak: number;
  readonly warmupSteps: number;
  readonly totalSteps: number;
  /** Share of the peak that the cosine ends at. */
  readonly minRatio: number;
}

/** The config keys a schedule is made from. */
export interface ScheduleConfig {
  readonly learningRate: number;
  /** `lr_scheduler`; default cosine. */
  readonly kind?: ScheduleKind;
  readonly warmupSteps?: number;
  readonly warmupRatio?: number;
  /** `cosine_min_lr_ratio`. */
  readonly cosineMinLrRatio?: number;
}

/**
 * The schedule of a run of `totalSteps` updates. Throws where two keys contradict each other, and on a value out of range.
 */
export function createSchedule(config: ScheduleConfig, totalSteps: number): Schedule {
  const { learningRate, kind = 'cosine', warmupSteps, warmupRatio, cosineMinLrRatio } = config;
  if (warmupSteps !== undefined && warmupRatio !== undefined) {
    throw new Error('warmup_steps and warmup_ratio exclude each other: give one of them.');
  }
  if (cosineMinLrRatio !== undefined && kind !== 'cosine') {
    throw new Error(`cosine_min_lr_ratio needs lr_scheduler: cosine; it is ${kind}.`);
  }
  atLeastZero('learning_rate', learningRate);
  if (warmupSteps !== undefined) atLeastZero('warmup_steps', warmupSteps);
  if (warmupRatio !== undefined) share('warmup_ratio', warmupRatio);
  if (cosineMinLrRatio !== undefined) share('cosine_min_lr_ratio', cosineMinLrRatio);
  return Object.freeze({
    kind,
    peak: learningRate,
    warmupSteps: warmupSteps ?? derivedWarmup(warmupRatio, totalSteps),
    totalSteps,
    minRatio: cosineMinLrRatio ?? 0,
  });
}

/**
 * The learning rate of the update that follows `step` finished ones (so the first is step 0, and with a warm-up its rate
 * is 0). Formulas of transformers' `get_*_schedule_with_warmup`; constant alone has no warm-up.
 * The cosine with `minRatio` r falls to r · peak: (1 − r) · ½(1 + cos πp) + r.
 */
export function learningRate(schedule: Schedule, step: number): number {
  const { kind, peak, warmupSteps, totalSteps, minRatio } = schedule;
  if (kind === 'constant') return peak;
  if (step < warmupSteps) return (peak * step) / warmupSteps;
  if (kind === 'constant_with_warmup') return peak;
  const decaySteps = Math.max(1, totalSteps - warmupSteps);
  if (kind === 'linear') return peak * Math.max(0, (totalSteps - step) / decaySteps);
  const progress = Math.min(1, (step - warmupSteps) / decaySteps);
  return peak * ((1 - minRatio) * 0.5 * (1 + Math.cos(Math.PI * progress)) + minRatio);
}

function derivedWarmup(ratio: number | undefined, totalSteps: number): number {
  const steps = ratio === undefined ? Math.min(Math.floor(0.03 * totalSteps), 100) : Math.floor(ratio * totalSteps);
  // One step of warm-up would only lose the first update: its rate is 0 and the next is at the peak.
  return steps === 1 ? 2 : steps;
}

function atLeastZero(key: string, value: number): void {
  if (!(value >= 0)) throw new Error(`${key} is ${value}; it must be at least 0.`);
}

function share(key: string, value: number): void {
  if (!(value >= 0 && value <= 1)) throw new Error(`${key} is ${value}; it must lie between 0 and 1.`);
}
