import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../src/run/files.js';
import { claimOutputDirectory } from '../../src/run/output-directory.js';
import { temporaryDirectory } from '../models/temporary-directory.js';

test('a directory is made with those above it, and made again without harm', async () => {
  const path = join(await temporaryDirectory(), 'a b', 'ü', 'c');
  await makeDirectory(path);
  await makeDirectory(path);
  expect(existsSync(path)).toBe(true);
});

test.skipIf(!existsSync('/proc/self'))(
  'where no folder can be made, that is said instead of trying for ever',
  async () => {
    await expect(claimOutputDirectory('/proc/anneal-run')).rejects.toThrow(
      /Cannot write output_dir to \/proc\/anneal-run/,
    );
  },
);

test('a file in the place of the directory, or above it, stays as it is', async () => {
  const file = join(await temporaryDirectory(), 'notes');
  writeFileSync(file, 'mine');
  for (const path of [file, join(file, 'run')]) {
    await expect(claimOutputDirectory(path)).rejects.toThrow(/it, or a part of the path, is a file/);
  }
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

test('continuing is offered only where a checkpoint is whole', async () => {
  const path = await temporaryDirectory();
  mkdirSync(join(path, 'checkpoint-5'));
  await expect(claimOutputDirectory(path)).rejects.toThrow(/holds checkpoint-5\. Nothing was touched\. Choose/);
  writeFileSync(join(path, 'checkpoint-5', 'trainer_state.json'), '{}');
  await expect(claimOutputDirectory(path)).rejects.toThrow(/add --auto-resume-from-checkpoints/);
});
