import { randomBytes } from 'node:crypto';
import { chown, mkdir, statfs, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { findBubblewrap, isolated, workDirectory } from './bubblewrap.js';
import { runCommand } from './command.js';
import { lifetime } from './lifetime.js';
import type { SandboxLanguage } from './limits.js';
import { probe } from './probe.js';
import { killInside } from './process-tree.js';
import { passwd, supportFiles } from './support-files.js';
import {
  type CreateSandboxOptions,
  type ExecOptions,
  type ExecResult,
  type Sandbox,
  type SandboxCapabilities,
  SandboxError,
  type SandboxLimits,
  type SandboxProvider,
} from './types.js';
import { explainUnusable, type KernelSetting, kernelSetting } from './unusable.js';
import { isRoot, unownedUser } from './user.js';
import { isOverDisk, watch } from './watchdog.js';
import { readWorkFile, removeTree, repairPermissions, writeWorkFile } from './work-files.js';

export interface LocalSandboxOptions {
  /** Path of bubblewrap. Default: `bwrap` on the PATH. */
  readonly bwrap?: string;
  /** Default: `process.platform`. */
  readonly platform?: string;
  /** How to read a kernel setting: `kernel.unprivileged_userns_clone`. Default: from /proc/sys. */
  readonly kernelSetting?: KernelSetting;
}

const tryOut: SandboxLimits = { seconds: 20, memoryMb: 256, processes: 16, outputKb: 64, diskMb: 16 };

/** Sandboxes on this machine: each command runs in namespaces of its own, made by bubblewrap, over a directory of its sandbox. */
export function openLocalSandboxes(options: LocalSandboxOptions = {}): SandboxProvider {
  const live = new Set<Sandbox>();
  let works: Promise<void> | undefined;
  let capabilities: Promise<SandboxCapabilities> | undefined;
  const usable = () => {
    works ??= tryToStart(options).catch((error: unknown) => {
      works = undefined;
      throw error;
    });
    return works;
  };
  const provider: SandboxProvider = {
    name: 'local',
    async capabilities() {
      await usable();
      capabilities ??= probe(provider).catch((error: unknown) => {
        capabilities = undefined;
        throw error;
      });
      return capabilities;
    },
    async create(createOptions) {
      await usable();
      const sandbox = await createSandbox(createOptions, options, () => live.delete(sandbox));
      live.add(sandbox);
      return sandbox;
    },
    async dispose() {
      await Promise.all([...live].map((sandbox) => sandbox.dispose()));
    },
  };
  return Object.freeze(provider);
}

/** @throws SandboxError (`unavailable`) saying what is missing and what to do */
async function tryToStart(options: LocalSandboxOptions): Promise<void> {
  const bwrap = findBubblewrap(options.bwrap, options.platform);
  const plan = await hostErrors(() =>
    isolated(['true'], { limits: tryOut, workDirectory: 'tmpfs', reportStatus: true, bwrap }),
  );
  const result = await runCommand(plan, { seconds: 20, outputKb: 64, signals: [], report: true, kill: killInside });
  if (result.report.trim() === '0') return;
  throw explainUnusable(result, options.kernelSetting ?? kernelSetting);
}

async function createSandbox(
  { limits, files = {}, signal }: CreateSandboxOptions,
  { bwrap }: LocalSandboxOptions,
  onDispose: () => void,
): Promise<Sandbox> {
  signal?.throwIfAborted();
  const id = `local-${randomBytes(8).toString('hex')}`;
  const user = isRoot() ? unownedUser() : undefined;
  const directory = join((await hostErrors(supportFiles)).directory, id);
  const work = join(directory, 'work');
  const userFile = join(directory, 'passwd');
  const life = lifetime(id, () => removeTree(directory));
  const maxFileBytes = limits.diskMb * 2 ** 20;

  const write: Sandbox['writeFile'] = async (path, content, { mode } = {}) => {
    await hostErrors(() =>
      writeWorkFile(work, path, content, {
        mode,
        owner: user,
      }),
    );
  };

  const exec = async (command: readonly string[], options: ExecOptions = {}): Promise<ExecResult> => {
    const { stdin, env, cwd, seconds = limits.seconds } = options;
    await repairPermissions(work);
    const language = languageOf(command);
    const plan = await hostErrors(() =>
      isolated(inDirectory(command, cwd), {
        limits: { ...limits, seconds },
        workDirectory: { host: work },
        reportStatus: true,
        env,
        language,
        bwrap,
        ...(user === undefined ? {} : { user, binds: [{ host: userFile, inside: '/etc/passwd', writable: false }] }),
      }),
    );
    const watched = { memoryMb: limits.memoryMb, diskMb: limits.diskMb, directory: work };
    const result = await runCommand(plan, {
      stdin,
      seconds,
      outputKb: limits.outputKb,
      signals: [life.signal, ...(options.signal ? [options.signal] : [])],
      report: true,
      kill: killInside,
      watch: (pid, exceeded) => watch(pid, watched, exceeded),
    });
    const { stdout, stderr, ms } = result;
    const killedBy = result.killedBy ?? ((await isOverDisk(watched)) ? 'disk' : null);
    if (killedBy !== null) return { exitCode: null, stdout, stderr, killedBy, ms };
    const reported = exitCodeOf(result.report);
    if (reported === null) throw sandboxDied(result);
    const { exitCode } = reported;
    if (exitCode !== 0) await refuseWithoutSpace(work);
    return { exitCode, stdout, stderr, killedBy, ms };
  };

  try {
    await hostErrors(async () => {
      await mkdir(directory, { mode: 0o700 });
      await mkdir(work, { mode: 0o755 });
      if (user !== undefined) {
        await chown(work, user, user);
        await writeFile(userFile, passwd(user), { mode: 0o644 });
      }
    });
    for (const [path, content] of Object.entries(files)) await write(path, content);
    signal?.throwIfAborted();
  } catch (error) {
    await life.dispose();
    throw error;
  }

  return Object.freeze({
    id,
    directory: workDirectory,
    exec: (command: readonly string[], options?: ExecOptions) => life.run(() => exec(command, options)),
    readFile: (path: string) => readWorkFile(work, path, maxFileBytes),
    writeFile: write,
    async dispose() {
      await life.dispose();
      onDispose();
    },
  });
}

function languageOf([program = '']: readonly string[]): SandboxLanguage | undefined {
  const name = basename(program);
  if (name === 'node') return 'javascript';
  return /^python[\d.]*$/.test(name) ? 'python' : undefined;
}

/** As the sandbox's user, who may be unable to enter it or may have made a link of it: that is then the command's failure. */
function inDirectory(command: readonly string[], cwd: string | undefined): readonly string[] {
  return cwd === undefined ? command : ['/bin/sh', '-c', 'cd -- "$0" && exec "$@"', cwd, ...command];
}

/** null where nothing was reported. 128 and more is what a shell says of a signal. */
function exitCodeOf(report: string): { readonly exitCode: number | null } | null {
  const code = Number(/^(\d{1,3})\n/.exec(report)?.[1] ?? Number.NaN);
  if (Number.isNaN(code)) return null;
  return { exitCode: code > signalled && code <= signalled + lastSignal ? null : code };
}

const signalled = 128;
const lastSignal = 64;

function sandboxDied({ code, signal, stderr }: { code: number | null; signal: string | null; stderr: string }) {
  const said = /^bwrap: .*$/m.exec(stderr)?.[0];
  const how = signal === null ? `ended with ${code}` : `was killed by ${signal}`;
  return new SandboxError(said ?? `the sandbox's own process ${how} before the command ended: killed from outside`);
}

/** Below this, what a command failed at was likely the machine's disk. */
const leastFreeBytes = 64 * 1024;

async function refuseWithoutSpace(directory: string): Promise<void> {
  const { bavail, bsize, files, ffree } = await statfs(directory);
  if (bavail * bsize < leastFreeBytes || (files > 0 && ffree === 0)) {
    throw new SandboxError(`no space left in ${directory}, where the sandbox keeps its files`);
  }
}

const hostTrouble = ['ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'EIO', 'EAGAIN', 'ENOMEM'];

/** The machine's troubles are the sandbox's. */
async function hostErrors<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hostTrouble.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw new SandboxError(`the sandbox's files: ${(error as Error).message}`, { cause: error });
  }
}
