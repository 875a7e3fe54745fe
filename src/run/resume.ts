import { dirname, resolve } from 'node:path';
import { type RunConfig, UserError } from '../config/index.js';
import { listCheckpoints } from './checkpoint.js';
import { compareFingerprints, type Fingerprint } from './fingerprint.js';
import { readTrainerState, type TrainerState } from './trainer-state.js';

export interface ResumePoint {
  readonly path: string;
  readonly state: TrainerState;
  /** The checkpoint is one of `output_dir`, whose metrics go on. */
  readonly own: boolean;
}

/** The checkpoint that a config asks to continue from, or null for a new run. */
export async function findResumePoint(config: RunConfig): Promise<ResumePoint | null> {
  const path =
    config.resume_from_checkpoint ??
    (config.auto_resume_from_checkpoints ? ((await listCheckpoints(config.output_dir)).at(-1)?.path ?? null) : null);
  if (path === null) return null;
  const own = resolve(dirname(path)) === resolve(config.output_dir);
  return { path, state: await readTrainerState(path), own };
}

/**
 * Makes sure that continuing gives the very result of a run that was never interrupted.
 *
 * @returns warnings about what may change the last bits
 * @throws UserError naming every key that changed
 */
export function checkResume(point: ResumePoint, present: Fingerprint, totalSteps: number): readonly string[] {
  const { differences, warnings } = compareFingerprints(point.state.fingerprint, present);
  if (differences.length > 0) {
    throw new UserError(
      [
        `${point.path} cannot be continued with this config, as the result would be that of neither:`,
        ...differences.map((line) => `  ${line}`),
        'Put these back to continue, or start a new run from its weights: base_model (or lora_model_dir) with that directory.',
      ].join('\n'),
    );
  }
  if (point.state.totalSteps !== totalSteps) {
    throw new UserError(
      `${point.path} belongs to a run of ${point.state.totalSteps} steps; this one has ${totalSteps}. The learning rate follows from that number.`,
    );
  }
  return warnings.map((line) => `continued with a change that may alter the last bits of the weights: ${line}`);
}
