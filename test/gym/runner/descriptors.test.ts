import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../models/temporary-directory.js';
import { root } from '../../run/support.js';
import { describeIsolatedPython } from '../support.js';

const answers = {
  python: `
import errno, os
def coin_change(coins, amount):
    def is_open(fd):
        try:
            os.fstat(fd)
            return True
        except OSError:
            return False
    return [fd for fd in (40, 251) if is_open(fd)]
`,
  javascript: `
const { fstatSync } = require('node:fs');
function isOpen(fd) { try { fstatSync(fd); return true; } catch { return false; } }
function coinChange() { return [40, 251].filter(isOpen); }
`,
};

describeIsolatedPython('descriptors that were left open far above', () => {
  test.each(Object.entries(answers))('do not reach an answer in %s', async (language, text) => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'answer');
    writeFileSync(file, text);
    const command = `exec 40</etc/passwd 251>${join(directory, 'leak')}
      exec "$0" --import tsx src/cli/main.ts gym run coin_change --language ${language} --solution ${file} --json || true`;
    let stdout: string;
    try {
      stdout = execFileSync('bash', ['-c', command, process.execPath], { cwd: root, encoding: 'utf8' });
    } catch (error) {
      stdout = (error as { stdout: string }).stdout;
    }
    expect(JSON.parse(stdout).cases[0]).toMatchObject({ actual: '[]' });
  });
});
