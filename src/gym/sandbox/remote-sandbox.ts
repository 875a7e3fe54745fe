import { setTimeout as delay } from 'node:timers/promises';
import { GymError } from '../gym-error.js';
import { execLine, parseReport, quote, words } from './remote-command.js';
import {
  type CreateSandboxOptions,
  type ExecOptions,
  type ExecResult,
  type Sandbox,
  type SandboxCapabilities,
  SandboxError,
  type SandboxLimits,
  type SandboxName,
  type SandboxProvider,
} from './types.js';

/** What a vendor's sandbox can do, once made. Methods reject as the vendor's SDK does. */
interface RemoteMachine {
  readonly id: string;
  /** An absolute path below which anything may be written. */
  readonly home: string;
  /** Runs a line of POSIX shell; what it wrote on stdout. Rejects where it did not end with exit code 0. */
  shell(line: string, seconds: number): Promise<string>;
  /** Absolute paths; folders exist. */
  upload(path: string, content: Uint8Array): Promise<void>;
  download(path: string): Promise<Uint8Array>;
  delete(): Promise<void>;
}

interface RemoteVendor {
  readonly name: Extract<SandboxName, 'daytona' | 'e2b'>;
  /** `Daytona`, for messages. */
  readonly title: string;
  /** What the vendor was asked to enforce. */
  readonly enforced: readonly string[];
  create(limits: SandboxLimits): Promise<RemoteMachine>;
}

export interface RemoteTimes {
  /** How long an answer may be late, beyond the command's own time. Default 30. */
  readonly graceSeconds?: number;
  /** How long the vendor may take to create a sandbox. Default 120. */
  readonly createSeconds?: number;
  /** Between attempts at deleting. Default 1. */
  readonly retrySeconds?: number;
  /** Told of a sandbox that could not be deleted, which the vendor may charge for until its lifetime ends. Default: a warning. */
  readonly onLeak?: (id: string, error: Error) => void;
}

const deleteAttempts = 3;

/** Lines of `name version`. Processes of a tree of their own have low numbers. */
const probeScript = `
python3 -c 'import platform; print("python", platform.python_version())' 2>/dev/null
node -p '"javascript " + process.versions.node' 2>/dev/null
bash -c 'echo bash $BASH_VERSION' 2>/dev/null
test $$ -lt 10 && echo tree own
true`;

/** A provider on a vendor's sandboxes. Everything that fails on the way is a {@link SandboxError}. */
export function remoteProvider(vendor: RemoteVendor, times: RemoteTimes): SandboxProvider {
  const { graceSeconds = 30, createSeconds = 120, retrySeconds = 1 } = times;
  const onLeak = times.onLeak ?? ((id, error) => process.emitWarning(leakMessage(vendor, id, error)));
  const living = new Set<Sandbox>();
  let probed: Promise<SandboxCapabilities> | null = null;

  const failed = (doing: string, error: unknown): Error => sandboxError(vendor, doing, error);

  async function remove(machine: RemoteMachine): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await within(graceSeconds, machine.delete());
        return;
      } catch (error) {
        if (/not.?found/i.test((error as Error).name)) return;
        if (attempt === deleteAttempts) return onLeak(machine.id, error as Error);
        await delay(retrySeconds * 1000 * attempt);
      }
    }
  }

  async function create({ limits, files = {}, signal }: CreateSandboxOptions): Promise<Sandbox> {
    signal?.throwIfAborted();
    const making = vendor.create(limits);
    let machine: RemoteMachine;
    try {
      machine = await within(createSeconds, making, signal);
    } catch (error) {
      // It may come to life after nobody waits for it any more.
      making.then(remove, () => undefined);
      throw failed('did not create a sandbox', error);
    }
    try {
      const sandbox = await prepare(machine, limits, files, signal);
      living.add(sandbox);
      return sandbox;
    } catch (error) {
      await remove(machine);
      throw failed('did not prepare a sandbox', error);
    }
  }

  async function prepare(
    machine: RemoteMachine,
    limits: SandboxLimits,
    files: Readonly<Record<string, Uint8Array | string>>,
    signal?: AbortSignal,
  ): Promise<Sandbox> {
    const base = `${machine.home}/anneal-${machine.id.replaceAll(/[^\w-]/g, '')}`;
    const directory = `${base}/work`;
    const control = `${base}/control`;
    const shell = (line: string, seconds = 10, signalOf = signal) =>
      within(seconds + 2 * graceSeconds, machine.shell(line, seconds + graceSeconds), signalOf);
    const folders = new Set(Object.keys(files).map((path) => parentOf(`${directory}/${checkedPath(path)}`)));
    // Whether a command can have a process tree of its own that dies as a whole.
    const ownTree =
      (await shell(
        `mkdir -p ${words([directory, control, ...folders])} && (unshare --user --map-root-user --pid --fork --kill-child --mount-proc true 2>/dev/null && echo own || echo shared)`,
      )) === 'own\n';
    await Promise.all(
      Object.entries(files).map(([path, content]) =>
        within(graceSeconds, machine.upload(`${directory}/${path}`, bytes(content)), signal),
      ),
    );
    let calls = 0;
    let gone: Promise<void> | null = null;

    const usable = () => {
      if (gone !== null) throw new SandboxError(`The sandbox ${machine.id} has been disposed of.`);
    };

    const sandbox: Sandbox = {
      id: machine.id,
      directory,
      async exec(command, options: ExecOptions = {}): Promise<ExecResult> {
        usable();
        const { stdin, env = {}, cwd = '.', seconds = limits.seconds, signal: aborted } = options;
        aborted?.throwIfAborted();
        const call = `${control}/${++calls}`;
        try {
          if (stdin !== undefined) await within(graceSeconds, machine.upload(`${call}.in`, bytes(stdin)), aborted);
          const place = cwd === '.' ? directory : `${directory}/${checkedPath(cwd)}`;
          const line = execLine({ command, env, place, call, hasInput: stdin !== undefined, seconds, limits, ownTree });
          return parseReport(await shell(line, seconds, aborted), { seconds, outputKb: limits.outputKb });
        } catch (error) {
          aborted?.throwIfAborted();
          throw failed(`lost the command ${command[0]}`, error);
        }
      },
      async readFile(path): Promise<Uint8Array | null> {
        usable();
        const file = `${directory}/${checkedPath(path)}`;
        try {
          const found = await shell(
            `if [ -f ${quote(file)} ] && [ "$(readlink -f ${quote(file)})" = "$(readlink -f ${quote(directory)})"/${quote(path)} ]; then echo yes; else echo no; fi`,
          );
          return found === 'yes\n' ? await within(graceSeconds, machine.download(file)) : null;
        } catch (error) {
          throw failed(`did not give the file ${path}`, error);
        }
      },
      async writeFile(path, content, { mode } = {}): Promise<void> {
        usable();
        const file = `${directory}/${checkedPath(path)}`;
        const parent = parentOf(file);
        const inside = parent === directory ? '' : `/${parent.slice(directory.length + 1)}`;
        try {
          const place = await shell(
            `mkdir -p ${quote(parent)} && rm -f ${quote(file)} && if [ "$(readlink -f ${quote(parent)})" = "$(readlink -f ${quote(directory)})"${quote(inside)} ]; then echo yes; else echo no; fi`,
          );
          if (place !== 'yes\n')
            throw new SandboxError(`${path}: a link leads out of its folder`, { retryable: false });
          await within(graceSeconds, machine.upload(file, bytes(content)));
          if (mode !== undefined) await shell(`chmod ${mode.toString(8)} ${quote(file)}`);
        } catch (error) {
          throw failed(`did not take the file ${path}`, error);
        }
      },
      dispose() {
        living.delete(sandbox);
        gone ??= remove(machine);
        return gone;
      },
    };
    return sandbox;
  }

  async function probe(): Promise<SandboxCapabilities> {
    const limits = { seconds: 20, memoryMb: 512, processes: 4096, outputKb: 64, diskMb: 64 };
    const sandbox = await create({ limits });
    try {
      const { stdout } = await sandbox.exec(['sh', '-c', probeScript]);
      const found = new Map(stdout.split('\n').map((line) => line.split(' ') as [string, string | undefined]));
      const ownTree = found.has('tree');
      return {
        name: vendor.name,
        isolated: true,
        inForce: [
          `a machine of its own at ${vendor.title}`,
          ...vendor.enforced,
          'time limit',
          'output limit',
          'file size limit',
          ...(ownTree ? ['own process tree'] : []),
        ],
        missing: ownTree
          ? []
          : ['own process tree: unshare is refused; what a command leaves running is found by its environment'],
        languages: {
          python: found.get('python') ?? null,
          javascript: found.get('javascript') ?? null,
          bash: found.get('bash') ?? null,
        },
      };
    } finally {
      await sandbox.dispose();
    }
  }

  return {
    name: vendor.name,
    capabilities() {
      probed ??= probe().catch((error: unknown) => {
        probed = null;
        throw error;
      });
      return probed;
    },
    create,
    async dispose() {
      await Promise.all([...living].map((sandbox) => sandbox.dispose()));
    },
  };
}

/** Rejects with a timeout once the vendor has been silent for too long. */
async function within<Result>(seconds: number, work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const stop = new AbortController();
  const late = delay(seconds * 1000, undefined, { signal: stop.signal }).then(() => {
    throw new SandboxError(`no answer within ${seconds} s`, { reason: 'timeout' });
  });
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: stop.signal });
  });
  try {
    return await Promise.race([work, late, aborted]);
  } finally {
    stop.abort();
    late.catch(() => undefined);
  }
}

function sandboxError(vendor: RemoteVendor, doing: string, error: unknown): Error {
  const { name = '', message = String(error) } = error as Error;
  if (name === 'AbortError' || error instanceof GymError) return error as Error;
  const known = error instanceof SandboxError ? error : null;
  const denied = /Authentication|Authorization|Forbidden/.test(name);
  const reason = known?.reason ?? (denied ? 'unavailable' : /timeout/i.test(name) ? 'timeout' : 'failed');
  const retryable = known === null ? {} : { retryable: known.retryable };
  return new SandboxError(`${vendor.title} ${doing}: ${message}`, { cause: error, reason, ...retryable });
}

function leakMessage(vendor: RemoteVendor, id: string, error: Error): string {
  return `${vendor.title}: the sandbox ${id} could not be deleted (${error.message}). It ends by itself when its lifetime is over; until then it can be deleted on ${vendor.title}'s site.`;
}

/** Whether a path is relative and says where it leads without `.` and `..`. */
function isInside(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function checkedPath(path: string): string {
  if (isInside(path)) return path;
  throw new GymError(
    `${path}: files of a sandbox are named by a path relative to its work directory, without . and ..`,
  );
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

const bytes = (content: Uint8Array | string) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;
