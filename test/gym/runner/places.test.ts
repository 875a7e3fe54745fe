import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRunner } from '../../../src/gym/runner/index.js';
import { openLocalRunner } from '../../../src/gym/runner/local-runner.js';
import { openSandboxRunner } from '../../../src/gym/runner/sandbox-runner.js';
import type { Runner } from '../../../src/gym/runner/types.js';
import { openSandboxes, SandboxError, type SandboxProvider } from '../../../src/gym/sandbox/index.js';
import { describePython, hasPython } from '../support.js';
import { job, outcomes, ownProcesses, processesWith, short, watchTemporaryFiles } from './jobs.js';

const temporaryFiles = watchTemporaryFiles();

describePython('Python answers, sandbox none', () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await openRunner({ sandbox: 'none', workers: 2 });
  });
  afterAll(async () => {
    await runner.dispose();
    expect(temporaryFiles()).toEqual([]);
  });

  it('gives each answer a process and a directory of its own', async () => {
    const source =
      'import os\ndef f():\n  seen = os.listdir(".")\n  open("mark", "w").close()\n  return [seen, os.getpid()]';
    const results = await Promise.all([1, 2, 3].map(() => runner.run(job('python', source, [[]]))));
    const seen = results.map((result) => outcomes(result)[0] as [string[], number]);
    expect(seen.map(([files]) => files)).toEqual([[], [], []]);
    expect(new Set(seen.map(([, pid]) => pid)).size).toBe(3);
  });

  it('ends what hangs, crashes and hides', async () => {
    const mark = `mark${process.pid}n`;
    const source = `
import os
def f(x):
    if x == 1: os._exit(3)
    while x == 2: pass
    if x == 3 and os.fork() == 0:
        os.setsid()
        if os.fork() == 0: os.execv('/bin/sleep', ['${mark}', '1000'])
        os._exit(0)
    return x`;
    const result = await runner.run(job('python', source, [[0], [1], [2], [3]], short));
    expect(outcomes(result)).toEqual([0, 'crash exit code 3', 'timeout', 3]);
    expect(processesWith(mark)).toEqual([]);
  });
});

/** A place that can do no more than the four methods of a sandbox. */
async function somewhere(changed: Partial<SandboxProvider> = {}): Promise<SandboxProvider> {
  return { ...(await openSandboxes('none')), name: 'e2b', ...changed };
}

describe('a runner over any sandbox', () => {
  it.runIf(hasPython)('runs Python answers', async () => {
    const runner = openSandboxRunner(await somewhere(), 2);
    const source = `
import os
def f(x):
    print('said', x)
    if x == 1: os._exit(3)
    while x == 2: pass
    return (x, {x})`;
    const result = await runner.run(job('python', source, [[0], [1], [2], [3]], short));
    expect(outcomes(result)).toEqual([{ t: [0, { s: [0] }] }, 'crash exit code 3', 'timeout', { t: [3, { s: [3] }] }]);
    expect(result.stdout).toContain('said 3');
    const broken = await runner.run(job('python', 'def f(:', [[0]]));
    expect(broken).toMatchObject({ kind: 'load-failed', problem: 'SyntaxError: invalid syntax (line 1)' });
    expect((await runner.run(job('python', 'g = 1', [[0]]))).kind).toBe('no-function');
    await runner.dispose();
  });

  it('runs JavaScript answers', async () => {
    const runner = openSandboxRunner(await somewhere(), 2);
    const source = `
export function f(x) {
  console.log('said', x);
  if (x === 1) process.exit(3);
  while (x === 2);
  return [x, new Set([x])];
}`;
    const result = await runner.run(job('javascript', source, [[0], [1], [2], [3]], short));
    expect(outcomes(result)).toEqual([[0, { s: [0] }], 'crash exit code 3', 'timeout', [3, { s: [3] }]]);
    expect(result.stdout).toContain('said 3');
    await runner.dispose();
  });

  it.runIf(hasPython)('takes an answer that kills its driver for a crash', async () => {
    const runner = openSandboxRunner(await somewhere(), 1);
    const source = 'import os\ndef f(x):\n  if x == 1: os.kill(os.getppid(), 9)\n  return x';
    const result = await runner.run(job('python', source, [[1], [0]]));
    expect(result.problem ?? outcomes(result).join()).toMatch(/killed/);
    await runner.dispose();
  });

  it('passes on the failures of the sandbox, and leaves none of them open', async () => {
    const open = new Set<string>();
    const plain = await somewhere();
    const runner = openSandboxRunner(
      {
        ...plain,
        async create(options) {
          const sandbox = await plain.create(options);
          open.add(sandbox.id);
          return {
            ...sandbox,
            readFile: async () => null,
            async dispose() {
              open.delete(sandbox.id);
              await sandbox.dispose();
            },
          };
        },
      },
      1,
    );
    const failing = runner.run(job('javascript', 'function f() {}', [[]]));
    await expect(failing).rejects.toMatchObject({
      name: 'SandboxError',
      message: expect.stringContaining('no report'),
    });
    expect(open.size).toBe(0);
    await runner.dispose();
    await expect(runner.run(job('javascript', 'function f() {}', [[]]))).rejects.toThrow('disposed');
  });

  it('says when the place has no such interpreter', async () => {
    const plain = await somewhere();
    const runner = openSandboxRunner(
      {
        ...plain,
        async create(options) {
          const sandbox = await plain.create(options);
          return {
            ...sandbox,
            exec: async () => ({ exitCode: 127, stdout: '', stderr: 'not found', killedBy: null, ms: 1 }),
          };
        },
      },
      1,
    );
    const failing = runner.run(job('python', 'def f(): pass', [[]]));
    await expect(failing).rejects.toMatchObject({ reason: 'unavailable', message: 'the sandbox has no python3' });
    await runner.dispose();
  });

  it('stops when it is aborted, and ends everything', async () => {
    const before = ownProcesses();
    const runner = openSandboxRunner(await somewhere(), 1);
    const controller = new AbortController();
    const endless = runner.run(job('javascript', 'function f() { for (;;); }', [[]]), controller.signal);
    const stopped = expect(endless).rejects.toThrow();
    controller.abort(new Error('enough'));
    await stopped;
    await runner.dispose();
    expect(ownProcesses().filter((pid) => !before.includes(pid))).toEqual([]);
  });
});

describe('a runner where something is missing', () => {
  const withEnvironment = async (changed: Record<string, string>, work: () => Promise<void>) => {
    const before = { ...process.env };
    Object.assign(process.env, changed);
    try {
      await work();
    } finally {
      for (const name of Object.keys(changed)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  };

  it('says that there is no Python, and runs JavaScript', () =>
    withEnvironment({ ANNEAL_PYTHON: '/nowhere/python3' }, async () => {
      const runner = await openRunner({ sandbox: 'none', workers: 1 });
      const failing = runner.run(job('python', 'def f(): pass', [[]]));
      await expect(failing).rejects.toMatchObject({
        reason: 'unavailable',
        message: expect.stringContaining('Python 3.8'),
      });
      expect(outcomes(await runner.run(job('javascript', 'function f() { return 1 }', [[]])))).toEqual([1]);
      await runner.dispose();
    }));

  it('says that there is no bubblewrap', () =>
    withEnvironment({ PATH: '/nowhere' }, async () => {
      const runner = await openRunner({ sandbox: 'local', workers: 1 });
      const failing = runner.run(job('javascript', 'function f() {}', [[]]));
      await expect(failing).rejects.toMatchObject({
        reason: 'unavailable',
        message: expect.stringContaining('bubblewrap'),
      });
      await runner.dispose();
    }));

  it('says what the sandbox says when it cannot be used', async () => {
    const refusing: SandboxProvider = {
      ...(await openSandboxes('local')),
      create: async () => {
        throw new SandboxError('the kernel forbids it', { reason: 'unavailable' });
      },
    };
    const runner = openLocalRunner({ sandboxes: refusing, workers: 1, python: 'single' });
    await withEnvironment({ PATH: shadow() }, async () => {
      const failing = runner.run(job('javascript', 'function f() {}', [[]]));
      await expect(failing).rejects.toThrow('the kernel forbids it');
    });
    await runner.dispose();
  });
});

/** A PATH with a bubblewrap that cannot make namespaces. */
function shadow(): string {
  const directory = mkdtempSync(join(tmpdir(), 'bwrap-'));
  writeFileSync(
    join(directory, 'bwrap'),
    '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
    {
      mode: 0o755,
    },
  );
  return `${directory}:${process.env.PATH}`;
}
