import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../config/index.js';
import type { Fingerprint } from './fingerprint.js';

/** Version of the layout of trainer_state.json; a change that breaks readers raises it. */
export const TRAINER_STATE_SCHEMA = 1;
export const trainerStateFile = 'trainer_state.json';

/** How far a training has come. */
export interface TrainingProgress {
  /** Optimizer steps done. */
  readonly step: number;
  /** Epochs done, as a fraction. */
  readonly epoch: number;
  /** What the method needs beside the engine's state to go on bit for bit: cursors, counters, sums. JSON. */
  readonly method: Readonly<Record<string, unknown>>;
}

/** Everything of a checkpoint that is not in the engine's state. */
export interface TrainerState {
  readonly schema: number;
  readonly progress: TrainingProgress;
  readonly totalSteps: number;
  readonly fingerprint: Fingerprint;
  /** What wrote the checkpoint: anneal, node, onnxruntime, platform. */
  readonly versions: Readonly<Record<string, string>>;
}

/** Reads the state of a checkpoint directory. Throws a UserError where it is none, or of another version. */
export async function readTrainerState(directory: string): Promise<TrainerState> {
  const path = join(directory, trainerStateFile);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new UserError(
      `${directory} is no checkpoint: it has no ${trainerStateFile}. Give a checkpoint-N directory of a run.`,
      { cause },
    );
  }
  let state: TrainerState;
  try {
    state = JSON.parse(text) as TrainerState;
  } catch (cause) {
    throw new UserError(`${path} is no valid JSON: ${(cause as Error).message}. Take an earlier checkpoint.`, {
      cause,
    });
  }
  if (state.schema !== TRAINER_STATE_SCHEMA) {
    throw new UserError(
      `${path} has schema ${state.schema}; this version reads ${TRAINER_STATE_SCHEMA}. Continue with the anneal that wrote it (${state.versions?.anneal ?? 'unknown'}).`,
    );
  }
  return state;
}
