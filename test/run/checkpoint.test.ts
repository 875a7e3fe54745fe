import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listCheckpoints, removeStaleCheckpoints, writeCheckpoint } from '../../src/run/checkpoint.js';
import { claimOutputDirectory } from '../../src/run/output-directory.js';
import { readTrainerState, TRAINER_STATE_SCHEMA, type TrainerState } from '../../src/run/trainer-state.js';
import { temporaryDirectory } from '../models/temporary-directory.js';

const engine = (content: string) => ({
  saveState: (directory: string) => writeFile(join(directory, 'engine.safetensors'), content),
  exportModel: (directory: string) => writeFile(join(directory, 'model.safetensors'), content),
});

const state = (step: number): TrainerState => ({
  schema: TRAINER_STATE_SCHEMA,
  progress: { step, epoch: step / 10, method: { cursor: { epoch: 0, step } } },
  totalSteps: 10,
  fingerprint: { config: {}, digests: { model: '', tokenizer: '', data: '' } },
  versions: { anneal: '0' },
});

const files = new Map([['tokenizer.json', '{}']]);
const write = (outputDir: string, step: number, content = `weights ${step}`, limit = 3) =>
  writeCheckpoint({ outputDir, engine: engine(content), files, state: state(step), limit });

test('a checkpoint holds state, weights, tokenizer and progress; the oldest beyond the limit go', async () => {
  const outputDir = await temporaryDirectory();
  for (const step of [2, 4, 6, 10]) await write(outputDir, step);
  expect((await readdir(outputDir)).sort()).toEqual(['checkpoint-10', 'checkpoint-4', 'checkpoint-6']);
  const newest = (await listCheckpoints(outputDir)).at(-1)!;
  expect(newest.step).toBe(10);
  expect((await readdir(newest.path)).sort()).toEqual([
    'engine.safetensors',
    'model.safetensors',
    'tokenizer.json',
    'trainer_state.json',
  ]);
  expect((await readTrainerState(newest.path)).progress).toEqual(state(10).progress);
});

test('writing a step again replaces it, and it is never the one that is removed', async () => {
  const outputDir = await temporaryDirectory();
  for (const step of [3, 6, 9]) await write(outputDir, step);
  await write(outputDir, 3, 'written anew', 1);
  expect(await readdir(outputDir)).toEqual(['checkpoint-3']);
  expect(await readFile(join(outputDir, 'checkpoint-3/model.safetensors'), 'utf8')).toBe('written anew');
});

test('a full disk says so, and leaves the earlier checkpoint alone', async () => {
  const outputDir = await temporaryDirectory();
  await write(outputDir, 1);
  const full = {
    ...engine('half'),
    // As it comes from the worker thread, without its code.
    exportModel: () => Promise.reject(new Error('ENOSPC: no space left on device, write')),
  };
  const attempt = writeCheckpoint({ outputDir, engine: full, files, state: state(2), limit: 3 });
  await expect(attempt).rejects.toThrow(`Cannot write checkpoint-2 to ${outputDir}: the disk is full`);
  expect(await readdir(outputDir)).toEqual(['checkpoint-1']);
});

test('what a crash left half written or half removed is cleared away', async () => {
  const outputDir = await temporaryDirectory();
  for (const name of ['.checkpoint-3.tmp', '.checkpoint-1.old', 'checkpoint-2', 'checkpoint-other']) {
    await mkdir(join(outputDir, name));
  }
  await removeStaleCheckpoints(outputDir);
  expect((await readdir(outputDir)).sort()).toEqual(['checkpoint-2', 'checkpoint-other']);
  // A directory that merely has the name is no checkpoint.
  expect(await listCheckpoints(outputDir)).toEqual([]);
});

test('a state of another version names the version that wrote it', async () => {
  const outputDir = await temporaryDirectory();
  const path = await write(outputDir, 1);
  await writeFile(
    join(path, 'trainer_state.json'),
    JSON.stringify({ ...state(1), schema: 99, versions: { anneal: '9.1' } }),
  );
  await expect(readTrainerState(path)).rejects.toThrow(/schema 99; this version reads 1.*9\.1/);
});

test('an output_dir below a file is an error that says so', async () => {
  const directory = await temporaryDirectory();
  await writeFile(join(directory, 'file'), '');
  await expect(claimOutputDirectory(join(directory, 'file/out'))).rejects.toThrow(
    /Cannot write output_dir to .*: it, or a part of the path, is a file/,
  );
});
