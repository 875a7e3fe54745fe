import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex, Readable } from 'node:stream';
import type { SpawnPlan } from '../sandbox/index.js';
import { descendants, kill, killInside } from '../sandbox/process-tree.js';
import { SandboxError } from '../sandbox/types.js';

export interface ChannelPlan {
  readonly plan: SpawnPlan;
  /**
   * - `sandbox`: in bubblewrap, the channel on descriptor 3.
   * - `sandbox-status`: the same with the status of the command inside reported on 3 and the channel on 4.
   * - `plain`: an ordinary process, the channel on 3, in a temporary directory of its own.
   */
  readonly kind: 'sandbox' | 'sandbox-status' | 'plain';
}

/** A process with a private channel. It does not keep this one alive. */
export interface ChannelProcess {
  readonly child: ChildProcess;
  readonly channel: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** What the sandbox says about the command inside; empty where it says nothing. */
  readonly status: () => string;
  /** Resolves when the process is gone, or could not be started, and its status has been read. */
  readonly gone: Promise<void>;
  /** Ends it and everything inside; resolves when they have ended. */
  kill(): Promise<void>;
}

export function startProcess({ plan, kind }: ChannelPlan): ChannelProcess {
  const directory = kind === 'plain' ? mkdtempSync(join(tmpdir(), 'anneal-answer-')) : null;
  const child = spawn(plan.file, plan.args, {
    env: plan.env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...(kind === 'sandbox-status' ? (['pipe'] as const) : [])],
    detached: true,
    ...(directory === null ? {} : { cwd: directory }),
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const streams = child.stdio.filter((stream) => stream !== null) as (Duplex & { unref?(): void })[];
  for (const stream of streams) {
    // A broken pipe shows as the process's end.
    stream.on('error', () => {});
    stream.unref?.();
  }
  child.unref();
  let status = '';
  let gone = ended;
  if (kind === 'sandbox-status') {
    const stream = child.stdio[3] as Readable;
    stream.on('data', (piece: Buffer) => (status += piece.toString()));
    const whole = new Promise<void>((resolve) => stream.once('close', () => resolve()));
    // The process's end may be known before the last that it wrote has been read.
    gone = ended.then(() => whole);
  }
  return {
    child,
    channel: child.stdio[kind === 'sandbox-status' ? 4 : 3] as Duplex,
    stdout: child.stdout!,
    stderr: child.stderr!,
    status: () => status,
    gone,
    async kill() {
      if (isAlive(child)) {
        child.ref();
        if (kind === 'plain') for (const pid of [-child.pid!, ...descendants(child.pid!)]) kill(pid);
        else killInside(child.pid!);
        await ended;
      }
      // What the answer started outlives it where nothing holds it.
      if (kind === 'plain' && child.pid !== undefined) kill(-child.pid);
      for (const stream of streams) stream.destroy();
      if (directory !== null) rmSync(directory, { recursive: true, force: true });
    },
  };
}

export function isAlive({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/** Why a process of the sandbox is not there any more, from what it said last. */
export function sandboxFailure(what: string, { child }: ChannelProcess, said: string): SandboxError {
  const { signalCode, exitCode } = child;
  const how =
    signalCode !== null ? `killed by ${signalCode}` : exitCode === null ? 'not started' : `exit code ${exitCode}`;
  return new SandboxError(`${what} ended (${how})${said.trim() === '' ? '' : `: ${said.trim().slice(-500)}`}`);
}
