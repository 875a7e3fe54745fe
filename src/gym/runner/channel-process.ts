import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import type { SpawnPlan } from '../sandbox/index.js';
import { SandboxError } from '../sandbox/types.js';

/** A process with a private channel. */
export interface ChannelProcess {
  readonly child: ChildProcess;
  readonly channel: Duplex;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** What the sandbox reports: the exit status of the command inside, where the plan asks for that. */
  readonly status: Readable | null;
  /** Resolves when the process is gone. Never rejects. */
  readonly gone: Promise<void>;
  /** Ends it and, in a sandbox, everything inside. */
  kill(): Promise<void>;
}

export interface ChannelPlan {
  readonly plan: SpawnPlan;
  /** The descriptor of the channel: 3, or 4 with the sandbox's status on 3. */
  readonly channel: 3 | 4;
}

/** Starts a process that does not keep this one alive. Failures to start show as its end. */
export function startProcess({ plan, channel }: ChannelPlan): ChannelProcess {
  const pipes = channel === 4 ? (['pipe', 'pipe'] as const) : (['pipe'] as const);
  const child = spawn(plan.file, plan.args, { env: plan.env, stdio: ['ignore', 'pipe', 'pipe', ...pipes], detached: true });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const streams = child.stdio.filter((stream) => stream !== null) as unknown as Duplex[];
  for (const stream of streams) {
    // A broken pipe shows as the process's end.
    stream.on('error', () => {});
    (stream as Duplex & { unref?(): void }).unref?.();
  }
  child.unref();
  return {
    child,
    channel: child.stdio[channel] as Duplex,
    stdout: child.stdout!,
    stderr: child.stderr!,
    status: channel === 4 ? (child.stdio[3] as Readable) : null,
    gone,
    async kill() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        child.ref();
        await gone;
      }
      for (const stream of streams) stream.destroy();
    },
  };
}

/** The first bytes of a stream; the rest is read and dropped. */
export function keepStart(stream: Readable, maxBytes: number): () => string {
  const pieces: Buffer[] = [];
  let held = 0;
  stream.on('data', (piece: Buffer) => {
    if (held >= maxBytes) return;
    pieces.push(piece.subarray(0, maxBytes - held));
    held += pieces.at(-1)!.length;
  });
  return () => Buffer.concat(pieces).toString();
}

/** Waits for a stream's last bytes, when its writers are gone. */
export async function finished(stream: Readable): Promise<void> {
  if (!stream.readableEnded && !stream.destroyed) await once(stream, 'close').catch(() => {});
}

/** Why a process of the sandbox is not there any more, from what it said last. */
export function sandboxFailure(what: string, { child }: ChannelProcess, said: string): SandboxError {
  const how =
    child.signalCode !== null ? `killed by ${child.signalCode}` : child.exitCode === null ? 'failed' : `exit code ${child.exitCode}`;
  return new SandboxError(`${what} ended (${how})${said.trim() === '' ? '' : `: ${said.trim().slice(-500)}`}`);
}
