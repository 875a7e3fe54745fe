import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLocalSandboxes, type Sandbox, SandboxError } from '../../../src/gym/sandbox/index.js';
import { children, descendants } from '../../../src/gym/sandbox/process-tree.js';
import { supportFiles } from '../../../src/gym/sandbox/support-files.js';
import { describeIsolated } from '../support.js';

const limits = { seconds: 60, memoryMb: 128, processes: 16, outputKb: 64, diskMb: 8 };
const script = (name: string) => new URL(name, import.meta.url).pathname;

async function failure(promise: Promise<unknown>): Promise<SandboxError> {
  const error = await promise.then(
    (result) => expect.fail(`did not fail: ${JSON.stringify(result)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SandboxError);
  return error as SandboxError;
}

describeIsolated('when something outside ends the local sandbox', () => {
  const provider = openLocalSandboxes();
  let box: Sandbox;
  beforeAll(async () => {
    box = await provider.create({ limits });
  });
  afterAll(() => provider.dispose());

  /** A command that runs, and the processes that hold it, outermost first. */
  async function running(started: string) {
    const before = children(process.pid);
    const execution = box.exec(['sh', '-c', `echo >${started}; sleep 300`]);
    while ((await box.readFile(started)) === null);
    const [outer] = children(process.pid).filter((pid) => !before.includes(pid));
    return { execution, pids: [outer!, ...descendants(outer!)] };
  }

  it.each([0, 1])('process %i of the sandbox being killed is no result of the command', async (which) => {
    const { execution, pids } = await running(`started-${which}`);
    process.kill(pids[which]!, 'SIGKILL');
    const error = await failure(execution);
    expect(error).toMatchObject({ reason: 'failed', retryable: true });
    expect(error.message).toContain('killed');
    expect(pids.filter((pid) => existsSync(`/proc/${pid}/exe`))).toEqual([]);
    // and the sandbox can be used again
    expect(await box.exec(['echo', 'on'])).toMatchObject({ exitCode: 0, stdout: 'on\n' });
  });

  it('a command that is killed alone has ended by a signal', async () => {
    const { execution, pids } = await running('started-alone');
    process.kill(pids.at(-2)!, 'SIGKILL');
    expect(await execution).toMatchObject({ exitCode: null, killedBy: null });
  });

  it('a command that does not exist is the command’s failure', async () => {
    expect(await box.exec(['no-such-program'])).toMatchObject({ exitCode: 127, killedBy: null });
  });

  it('disposal ends what runs', async () => {
    const other = await provider.create({ limits });
    const execution = failure(other.exec(['sleep', '300']));
    await other.dispose();
    expect((await execution).message).toContain('disposed');
    await failure(other.exec(['true']));
  });
});

describeIsolated('nothing is left', () => {
  it('of processes, descriptors and files after many sandboxes at a time', async () => {
    const provider = openLocalSandboxes();
    await (await provider.create({ limits })).dispose();
    const state = () => ({
      descriptors: readdirSync('/proc/self/fd').length,
      processes: descendants(process.pid).length,
      files: readdirSync(supportFiles().directory).length,
    });
    const before = state();
    const stdout = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const box = await provider.create({ limits, files: { 'in.txt': `${index}` } });
        const kill = index % 4 === 0 ? { seconds: 0.05 } : {};
        const result = await box.exec(['sh', '-c', index % 4 === 0 ? 'sleep 300' : 'cat in.txt; sleep 300 &'], kill);
        await box.dispose();
        return result.killedBy ?? result.stdout;
      }),
    );
    expect(stdout).toEqual(Array.from({ length: 40 }, (_, index) => (index % 4 === 0 ? 'time' : `${index}`)));
    expect(state()).toEqual(before);
    await provider.dispose();
  });

  it('when the process that uses them is killed', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', script('./stale.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))));
    const { directory, pids } = JSON.parse(line) as { directory: string; pids: number[] };
    expect(pids.length).toBeGreaterThan(3);
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await closed;
    // the kernel ends them with their parent, on its own time
    while (pids.some((pid) => existsSync(`/proc/${pid}/exe`)));
    expect(existsSync(directory)).toBe(true);
    const next = spawn(process.execPath, ['--import', 'tsx', script('./stale.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => next.stdout.once('data', resolve));
    next.kill('SIGTERM');
    await new Promise((resolve) => next.once('close', resolve));
    expect(existsSync(directory)).toBe(false);
  });
});

const canMount =
  process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
if (!canMount) console.warn('skipped: a full disk (only root can make a small one)');

describeIsolated('a full disk', () => {
  it.skipIf(!canMount)('is the failure of the sandbox, never of the command', () => {
    const directory = mkdtempSync(join(tmpdir(), 'full-disk-'));
    const line = 'mount -t tmpfs -o size=300k none "$0" && chmod 1777 "$0" && TMPDIR="$0" exec "$1" --import tsx "$2"';
    try {
      const ran = spawnSync(
        'unshare',
        ['-m', 'sh', '-c', line, directory, process.execPath, script('./full-disk.ts')],
        { encoding: 'utf8', env: { ...process.env, TSX_DISABLE_CACHE: '1' } },
      );
      expect(ran.stderr).toBe('');
      expect(JSON.parse(ran.stdout)).toEqual([
        expect.stringMatching(/^SandboxError failed: no space left/),
        expect.stringMatching(/^SandboxError failed: .*ENOSPC/),
        expect.stringMatching(/^SandboxError failed: .*ENOSPC/),
      ]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('where the local sandbox cannot be used, it says why and what to do', () => {
  const directory = mkdtempSync(join(tmpdir(), 'fake-bwrap-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const fake = (body: string) => {
    const file = join(directory, `bwrap-${readdirSync(directory).length}`);
    writeFileSync(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return file;
  };
  const refusal = (options: Parameters<typeof openLocalSandboxes>[0]) =>
    failure(openLocalSandboxes(options).create({ limits }));
  const says = (text: string) => `echo "bwrap: ${text}" >&2; exit 1`;

  it('bubblewrap is not installed', async () => {
    const error = await refusal({ bwrap: 'no-such-bwrap' });
    expect(error).toMatchObject({ reason: 'unavailable', retryable: false });
    expect(error.message).toMatch(/apt install bubblewrap.*daytona.*e2b.*sandbox: none/);
    await failure(openLocalSandboxes({ bwrap: 'no-such-bwrap' }).capabilities());
  });

  it('there is no folder for its files', async () => {
    vi.resetModules();
    vi.stubEnv('TMPDIR', '/no/such/folder');
    const { supportFiles: anew } = await import('../../../src/gym/sandbox/support-files.js');
    expect(anew).toThrow(/keeps its files in \/no\/such\/folder.*ENOENT.*set TMPDIR/);
    vi.unstubAllEnvs();
  });

  it.each(['darwin', 'win32'])('%s', async (platform) => {
    const error = await refusal({ platform });
    expect(error).toMatchObject({ reason: 'unavailable' });
    expect(error.message).toMatch(/needs Linux.*daytona.*e2b.*sandbox: none/);
  });

  it.each([
    ['kernel.unprivileged_userns_clone', '0', 'No permissions to create new namespace', 'unprivileged_userns_clone=1'],
    ['user.max_user_namespaces', '0', 'Creating new namespace failed: No space left on device', 'max_user_namespaces='],
    ['kernel.apparmor_restrict_unprivileged_userns', '1', 'setting up uid map: Permission denied', 'AppArmor'],
    ['', '', 'Creating new namespace failed: Operation not permitted', 'container'],
  ])('the kernel forbids namespaces (%s = %s)', async (name, value, text, remedy) => {
    const error = await refusal({
      bwrap: fake(says(text)),
      kernelSetting: (asked) => (asked === name ? value : null),
    });
    expect(error).toMatchObject({ reason: 'unavailable', retryable: false });
    expect(error.message).toContain(text);
    expect(error.message).toContain(remedy);
    expect(error.message).toContain('sandbox: none');
  });

  it('util-linux is not installed', async () => {
    const error = await refusal({ bwrap: fake(says('execvp /usr/bin/prlimit: No such file or directory')) });
    expect(error).toMatchObject({ reason: 'unavailable' });
    expect(error.message).toContain('install util-linux');
  });

  it('bubblewrap dies', async () => {
    expect(await refusal({ bwrap: fake('kill -9 $$') })).toMatchObject({ reason: 'failed', retryable: true });
  });
});
