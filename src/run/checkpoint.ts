import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../engine/index.js';
import { syncPath, syncTree, type TextFiles, writeTextFiles } from './files.js';
import { type TrainerState, trainerStateFile } from './trainer-state.js';
import { explainWriteError } from './write-errors.js';

export interface CheckpointRequest {
  readonly outputDir: string;
  readonly engine: Pick<Engine, 'saveState' | 'exportModel'>;
  /** Saved beside the weights: the tokenizer's files, generation_config.json. */
  readonly files: TextFiles;
  readonly state: TrainerState;
  /** Checkpoints kept in all; the oldest beyond that are removed. */
  readonly limit: number;
}

export interface CheckpointEntry {
  readonly step: number;
  readonly path: string;
}

/**
 * Writes `checkpoint-N`: engine state, exported weights, tokenizer and trainer_state.json. It is built in a hidden
 * directory, forced to the disk and renamed, so that a crash at any moment leaves no half checkpoint under the name.
 */
export async function writeCheckpoint(request: CheckpointRequest): Promise<string> {
  const { outputDir, engine, files, state, limit } = request;
  const { step } = state.progress;
  const path = join(outputDir, `checkpoint-${step}`);
  const temporary = join(outputDir, `.checkpoint-${step}.tmp`);
  try {
    await rm(temporary, { recursive: true, force: true });
    await mkdir(temporary, { recursive: true });
    await engine.saveState(temporary);
    await engine.exportModel(temporary);
    await writeTextFiles(temporary, files);
    await writeTextFiles(temporary, new Map([[trainerStateFile, `${JSON.stringify(state, null, 2)}\n`]]));
    await syncTree(temporary);
    // A directory cannot be replaced in one step; an older one of this name goes out of the way first.
    await discard(outputDir, step);
    await rename(temporary, path);
    await syncPath(outputDir);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
    throw explainWriteError(error, `checkpoint-${step}`, outputDir);
  }
  const older = (await listCheckpoints(outputDir)).filter((entry) => entry.step !== step);
  for (const entry of older.slice(0, Math.max(0, older.length - (limit - 1)))) await discard(outputDir, entry.step);
  return path;
}

/** The checkpoints of a run, oldest first. */
export async function listCheckpoints(outputDir: string): Promise<CheckpointEntry[]> {
  const found: CheckpointEntry[] = [];
  for (const name of await readdir(outputDir).catch(() => [])) {
    const step = /^checkpoint-(\d+)$/.exec(name)?.[1];
    const path = join(outputDir, name);
    if (step === undefined || (await stat(join(path, trainerStateFile)).catch(() => null)) === null) continue;
    found.push({ step: Number(step), path });
  }
  return found.sort((a, b) => a.step - b.step);
}

/** Removes what a crash left of checkpoints that were being written or removed. */
export async function removeStaleCheckpoints(outputDir: string): Promise<void> {
  for (const name of await readdir(outputDir).catch(() => [])) {
    if (/^\.checkpoint-\d+\.(tmp|old)$/.test(name)) await rm(join(outputDir, name), { recursive: true, force: true });
  }
}

/** Renamed before it is removed: half of it would still look like a checkpoint. */
async function discard(outputDir: string, step: number): Promise<void> {
  const old = join(outputDir, `.checkpoint-${step}.old`);
  await rm(old, { recursive: true, force: true });
  try {
    await rename(join(outputDir, `checkpoint-${step}`), old);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await rm(old, { recursive: true, force: true });
}
