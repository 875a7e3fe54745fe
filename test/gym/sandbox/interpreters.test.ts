import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { interpreters, pythonFor } from '../../../src/gym/sandbox/index.js';
import { describePython } from '../support.js';

const folder = mkdtempSync(join(tmpdir(), 'interpreters-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

function file(name: string, text: string, mode: number): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode });
  return path;
}

describe('ANNEAL_PYTHON that is of no use is named, with what is wrong and what to do', () => {
  const saying = (version: string) => `#!/bin/sh\nprintf '%s\\n' "$0" / ${version}\n`;
  it.each([
    [join(folder, 'nowhere'), 'does not exist'],
    [folder, 'is a folder'],
    [file('notes', 'text', 0o644), 'cannot be run'],
    ['no-such-python', 'is no program on the PATH'],
    [file('silent', '#!/bin/sh\n', 0o755), 'is not Python'],
    [file('failing', '#!/bin/sh\nexit 3\n', 0o755), 'is not Python'],
    [file('talking', '#!/bin/sh\nprintf "a\\nb\\nc\\n"\n', 0o755), 'is not Python'],
    [file('old', saying('3.7.9'), 0o755), 'is Python 3.7.9'],
    [file('wide', saying('3.12.1'), 0o755), 'is installed in /, which answers may not see'],
  ])('%s %s', (path, problem) => {
    vi.stubEnv('ANNEAL_PYTHON', path);
    expect(interpreters().python).toBeNull();
    const message = `Python answers need Python 3.8 or newer, and ANNEAL_PYTHON is "${path}", which ${problem}`;
    expect(() => pythonFor('Python answers')).toThrow(message);
    expect(() => pythonFor('Python answers')).toThrow('set it to a Python 3.8 or newer, or unset it');
  });
});

describePython('ANNEAL_PYTHON that is Python', () => {
  it('is used', () => {
    const { file, version } = pythonFor('this test');
    vi.stubEnv('ANNEAL_PYTHON', file);
    expect(interpreters()).toMatchObject({ python: { file, version }, noPython: null });
  });
});
