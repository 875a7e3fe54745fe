import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { SpawnPlan } from './bubblewrap.js';
import { kill } from './process-tree.js';
import { type ExecResult, SandboxError } from './types.js';

export type Limit = NonNullable<ExecResult['killedBy']>;

interface CommandOptions {
  readonly stdin?: string | undefined;
  readonly cwd?: string | undefined;
  readonly seconds: number;
  readonly outputKb: number;
  /** Each ends the command. */
  readonly signals: readonly AbortSignal[];
  /** Read descriptor 3. */
  readonly report?: boolean | undefined;
  /** Kills everything that the process started. Called again while it does not end. */
  kill(pid: number): void;
  /** Watches for other limits; gives a function that ends the watch. */
  watch?(pid: number, exceeded: (limit: Limit) => void): () => void;
}

interface Ended {
  /** How the process that was started ended, not what ran inside. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly killedBy: Limit | null;
  /** What came over descriptor 3. */
  readonly report: string;
  readonly ms: number;
}

/** Time for output to end after the process has, and between attempts to kill it. */
const graceMs = 500;
const maxReport = 64;

/**
 * Starts a process in a group of its own, keeps at most `outputKb` of its output and ends it at a limit.
 *
 * @throws a signal's reason when it is aborted; SandboxError when no process could be started
 */
export async function runCommand(plan: SpawnPlan, options: CommandOptions): Promise<Ended> {
  const { stdin, cwd, seconds, outputKb, signals, report = false, watch } = options;
  const throwIfAborted = () => {
    for (const signal of signals) signal.throwIfAborted();
  };
  throwIfAborted();
  const start = performance.now();
  const child = await startProcess(plan, {
    report,
    stdin,
    cwd,
  });
  let killedBy: Limit | null = null;
  let exited = false;
  let again: NodeJS.Timeout | undefined;
  const end = () => {
    if (exited) return;
    const killAll = () => options.kill(child.pid!);
    killAll();
    again ??= setInterval(killAll, graceMs);
  };
  const exceeded = (limit: Limit) => {
    // what is still read after the end can be too much as well
    if (exited && limit !== 'output') return;
    killedBy ??= limit;
    end();
  };

  const room = { bytes: outputKb * 1024 };
  const stdout = collect(child.stdout, room, () => exceeded('output'));
  const stderr = collect(child.stderr, room, () => exceeded('output'));
  const reported = collect(child.stdio[3] as Readable | null, { bytes: maxReport }, () => {});
  const timer = setTimeout(() => exceeded('time'), seconds * 1000);
  for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  // It may have been aborted while the process started.
  if (signals.some((signal) => signal.aborted)) end();
  const stopWatch = watch?.(child.pid!, exceeded);
  try {
    const { code, signal: endedBy } = await ended(child, () => {
      exited = true;
      clearInterval(again);
    });
    throwIfAborted();
    const ms = performance.now() - start;
    return { code, signal: endedBy, stdout: stdout(), stderr: stderr(), killedBy, report: reported(), ms };
  } finally {
    clearTimeout(timer);
    clearInterval(again);
    for (const signal of signals) signal.removeEventListener('abort', end);
    stopWatch?.();
  }
}

function startProcess(plan: SpawnPlan, { stdin, cwd, report }: Pick<CommandOptions, 'stdin' | 'cwd' | 'report'>) {
  return new Promise<ChildProcess>((resolve, reject) => {
    const failed = (error: Error) =>
      reject(new SandboxError(`no process could be started (${plan.file}): ${error.message}`, { cause: error }));
    try {
      const child = spawn(plan.file, plan.args, {
        env: plan.env,
        cwd,
        detached: true,
        stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...(report ? (['pipe'] as const) : [])],
      });
      child.once('error', failed);
      child.once('spawn', () => {
        // it may end without having read its input
        child.stdin?.on('error', () => {});
        child.stdin?.end(stdin);
        resolve(child);
      });
    } catch (error) {
      failed(error as Error);
    }
  });
}

/** Keeps what there is room for, and reads on so that the writer ends. */
function collect(stream: Readable | null | undefined, room: { bytes: number }, overflow: () => void): () => string {
  const chunks: Buffer[] = [];
  stream?.on('error', () => {});
  stream?.on('data', (chunk: Buffer) => {
    if (chunk.length <= room.bytes) {
      room.bytes -= chunk.length;
      chunks.push(chunk);
      return;
    }
    if (room.bytes > 0) chunks.push(chunk.subarray(0, room.bytes));
    room.bytes = 0;
    overflow();
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** Waits for the end of the process and of its output; a process of another group that keeps the output open is not waited for. */
function ended(child: ChildProcess, exited: () => void) {
  return new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    let late: NodeJS.Timeout | undefined;
    child.once('exit', (code, signal) => {
      exited();
      kill(-child.pid!);
      late = setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
        resolve({ code, signal });
      }, graceMs);
    });
    child.once('close', (code, signal) => {
      clearTimeout(late);
      resolve({ code, signal });
    });
  });
}
