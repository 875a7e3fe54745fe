import { expect, test } from 'vitest';
import { explainFullDisk } from '../../src/run/write-errors.js';

test('a full disk is told as such wherever a run meets it; other errors stay as they are', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  expect(explainFullDisk(full, '/runs/first')).toMatchObject({
    message: expect.stringMatching(
      /^Cannot write the files of the run to \/runs\/first: the disk is full\. Free some space/,
    ),
    cause: full,
  });
  const missing = Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' });
  expect(explainFullDisk(missing, '/runs/first')).toBe(missing);
});
