import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openLocalSandboxes, openSandboxes, seccompProgram } from '../../../src/gym/sandbox/index.js';
import { describeIsolated, hasPython } from '../support.js';

describeIsolated('what is in force is found by trying', () => {
  const directory = mkdtempSync(join(tmpdir(), 'weak-bwrap-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  /** What a bubblewrap that does something else than it is asked to would be found to be. */
  async function probed(name: string, body: string) {
    const bwrap = join(directory, name);
    writeFileSync(bwrap, `#!/bin/bash\n${body}\nexec bwrap "\${args[@]}"\n`, { mode: 0o755 });
    const provider = openLocalSandboxes({ bwrap });
    try {
      return await provider.capabilities();
    } finally {
      await provider.dispose();
    }
  }

  it('everything, and the languages', async () => {
    const provider = openLocalSandboxes();
    const { isolated, missing, languages, inForce } = await provider.capabilities();
    expect({ isolated, missing }).toEqual({ isolated: true, missing: [] });
    expect(inForce).toEqual(expect.arrayContaining(['no network', 'limit of processes', 'time limit']));
    expect(languages.javascript).toBe(process.versions.node);
    expect(languages.bash).toMatch(/^\d/);
    if (hasPython) expect(languages.python).toMatch(/^3\./);
    await provider.dispose();
  });

  it('a sandbox with the network of the machine is refused', async () => {
    const without = 'args=(); for a in "$@"; do [[ $a == --unshare-net ]] || args+=("$a"); done';
    await expect(probed('network', without)).rejects.toMatchObject({
      name: 'SandboxError',
      reason: 'unavailable',
      message: expect.stringMatching(/does not hold here.*no network: reached a port of this machine/),
    });
  });

  it('a sandbox that sees files of the machine is refused', async () => {
    const shown = `args=(); for a in "$@"; do [[ $a == --chdir ]] && args+=(--ro-bind "${tmpdir()}" "${tmpdir()}"); args+=("$a"); done`;
    await expect(probed('files', shown)).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringMatching(/does not hold here.*own file system.*: read /),
    });
  });

  it.skipIf(seccompProgram() === null)('a sandbox without its filter is said to lack it', async () => {
    const without =
      'args=(); while (($#)); do if [[ $1 == --seccomp ]]; then shift 2; else args+=("$1"); shift; fi; done';
    const { isolated, missing } = await probed('filter', without);
    expect(isolated).toBe(true);
    expect(missing).toEqual(expect.arrayContaining([expect.stringMatching(/^system call filter: there is none/)]));
  });
});

describe('the sandbox none', () => {
  it('does not claim to isolate', async () => {
    const { isolated, missing } = await (await openSandboxes('none')).capabilities();
    expect(isolated).toBe(false);
    expect(missing.join()).toContain('ordinary process of this user');
  });
});
