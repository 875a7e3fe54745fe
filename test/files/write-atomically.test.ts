import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeAtomically, writeFully, writeTextAtomically } from '../../src/files/index.js';
import { temporaryDirectory } from '../models/temporary-directory.js';

test('a write that fails half way leaves the former file, and nothing beside it', async () => {
  const directory = await temporaryDirectory();
  const path = join(directory, 'a.txt');
  await writeTextAtomically(path, 'before');
  const failing = writeAtomically(path, async (file) => {
    await writeFully(file, new TextEncoder().encode('half of what'));
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  expect(await readFile(path, 'utf8')).toBe('before');
  expect(await readdir(directory)).toEqual(['a.txt']);
});

test('a directory is not replaced by a file, and nothing is left beside it', async () => {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'a.txt'));
  await expect(writeTextAtomically(join(directory, 'a.txt'), 'text')).rejects.toThrow();
  expect(await readdir(directory)).toEqual(['a.txt']);
});
