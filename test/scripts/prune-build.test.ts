import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('what was built from sources that are gone is removed, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prune-'));
  const files = (names: readonly string[]) => {
    for (const name of names) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), '');
    }
  };
  files(['src/kept.ts', 'src/room/kept.ts', 'src/room/kernel.wat']);
  files(['dist/.tsbuildinfo', 'dist/kept.js', 'dist/kept.d.ts', 'dist/room/kept.js', 'dist/room/gone.js']);
  files(['dist/gone.js', 'dist/gone.d.ts', 'dist/left/gone.js', 'dist/notes.txt']);
  const script = fileURLToPath(new URL('../../scripts/prune-build.mjs', import.meta.url));
  execFileSync(process.execPath, [script, join(folder, 'src'), join(folder, 'dist')]);
  expect(readdirSync(join(folder, 'dist'), { recursive: true }).sort()).toEqual([
    '.tsbuildinfo',
    'kept.d.ts',
    'kept.js',
    'notes.txt',
    'room',
    join('room', 'kept.js'),
  ]);
  rmSync(folder, { recursive: true });
});
