import { keepStart } from '../../../gym/drivers/attempt.mjs';
import { gymAsset } from '../assets.js';
import { type ChannelPlan, type ChannelProcess, isAlive, startProcess } from '../runner/channel-process.js';
import { plainPlan } from '../runner/drivers.js';
import { readFrames, writeFrame } from '../runner/frames.js';
import { isolated, pythonFor } from '../sandbox/index.js';
import { SandboxError, type SandboxLimits } from '../sandbox/types.js';

interface DeepGymRun {
  readonly source: string;
  readonly standalone: boolean;
  readonly testCases: unknown;
  readonly envVars: Readonly<Record<string, string>>;
  readonly answer: string;
  readonly limits: SandboxLimits;
  /** Whether both run as ordinary processes of this user. */
  readonly unisolated: boolean;
}

/** What the verifier's process said last of itself. null when it ended without a word. */
type DeepGymEnd =
  | { readonly kind: 'ended' }
  | { readonly kind: 'returned'; readonly result: unknown }
  | { readonly kind: 'unsupported'; readonly message: string }
  | {
      readonly kind: 'raised';
      readonly type: string;
      readonly message: string;
      /** Whether it began as an exception of the answer's. */
      readonly answer: boolean;
      readonly traceback: string;
    };

export interface DeepGymReport {
  readonly end: DeepGymEnd | null;
  /** The time ran out: while the answer was at work, or the verifier. */
  readonly outOfTime: 'answer' | 'verifier' | null;
  /** The verifier's; its last part where it is long. */
  readonly stdout: string;
  readonly stderr: string;
  /** What the answer wrote. */
  readonly answerOutput: { readonly stdout: string; readonly stderr: string };
}

const maxFrameBytes = 24 * 2 ** 20;
const keptBytes = 4 * 2 ** 20;

/**
 * Runs a DeepGym verifier and the answer, each in a sandbox of its own, and passes the verifier's calls on to the answer.
 * A call that the verifier gave up waiting for ends the answer's process; the next call begins a new one.
 */
export async function runDeepGym(run: DeepGymRun, signal?: AbortSignal): Promise<DeepGymReport> {
  signal?.throwIfAborted();
  const verifier = startProcess(plan('deepgym_verifier.py', run));
  const host = createHost(run);
  const stdout = keepEnd(verifier);
  const stderr = keepStart(verifier.stderr, keptBytes);
  let end: DeepGymEnd | null = null;
  let problem: string | null = null;
  let outOfTime: DeepGymReport['outOfTime'] = null;
  const kill = () => void verifier.kill();
  const timer = setTimeout(() => {
    outOfTime = host.busy ? 'answer' : 'verifier';
    kill();
  }, run.limits.seconds * 1000);
  signal?.addEventListener('abort', kill, { once: true });
  readMessages(
    verifier,
    (message) => {
      const request = message as { readonly op: string; readonly id: number };
      if (request.op === 'result') end = message as DeepGymEnd;
      else void host.ask(request).then((reply) => isAlive(verifier.child) && writeFrame(verifier.channel, reply));
    },
    (reason) => {
      problem = reason;
      kill();
    },
  );
  const { source, standalone, testCases, envVars, answer, unisolated } = run;
  writeFrame(verifier.channel, {
    ...{ source, standalone, solution: answer, test_cases: testCases ?? null, env: envVars, shared: unisolated },
  });
  try {
    await verifier.gone;
    await stdout.ended;
    signal?.throwIfAborted();
    if (problem !== null) end = { kind: 'unsupported', message: `its process sent ${problem}` };
    if (end === null && outOfTime === null && stdout.text() === '') {
      const { exitCode, signalCode } = verifier.child;
      if (exitCode !== 0 && /bwrap|prlimit|setpriv/.test(stderr.text())) {
        throw new SandboxError(`the sandbox of a verifier ended (${signalCode ?? exitCode}): ${stderr.text().trim()}`);
      }
    }
    return { end, outOfTime, stdout: stdout.text(), stderr: stderr.text(), answerOutput: host.output() };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
    await Promise.all([verifier.kill(), host.dispose()]);
  }
}

interface Request {
  readonly id: number;
}

/** The answer's process, begun again when it has ended. */
function createHost(run: DeepGymRun) {
  let process: ChannelProcess | null = start();
  let output = keepBoth(process);
  let waiting: { readonly id: number; resolve(reply: unknown): void } | null = null;

  function start(): ChannelProcess {
    const started = startProcess(plan('deepgym_answer.py', run));
    const lost = (reason: string) => {
      if (process !== started) return;
      process = null;
      void started.kill();
      waiting?.resolve({ id: waiting.id, crash: reason });
      waiting = null;
    };
    readMessages(
      started,
      (message) => {
        const reply = message as { readonly id?: unknown } | null;
        if (process !== started || waiting === null || reply?.id !== waiting.id) return;
        waiting.resolve(reply);
        waiting = null;
      },
      (reason) => lost(`it sent ${reason}`),
    );
    void started.gone.then(() => lost(started.child.signalCode ?? `exit code ${started.child.exitCode ?? '?'}`));
    writeFrame(started.channel, { solution: run.answer });
    return started;
  }

  return {
    get busy() {
      return waiting !== null;
    },
    async ask(request: Request): Promise<unknown> {
      if (waiting !== null && process !== null) {
        // The verifier does not wait for the last call any more.
        const stuck = process;
        process = null;
        waiting.resolve({ id: waiting.id, crash: 'it was given up' });
        waiting = null;
        await stuck.kill();
      }
      if (process === null) {
        process = start();
        output = keepBoth(process);
      }
      const { channel } = process;
      return new Promise((resolve) => {
        waiting = { id: request.id, resolve };
        writeFrame(channel, request);
      });
    },
    output: () => ({ stdout: output.stdout.text(), stderr: output.stderr.text() }),
    async dispose() {
      const last = process;
      process = null;
      waiting?.resolve(null);
      waiting = null;
      await last?.kill();
    },
  };
}

/** A frame is a letter and JSON. */
function readMessages(
  { channel }: ChannelProcess,
  onMessage: (message: unknown) => void,
  onProblem: (problem: string) => void,
): void {
  const onFrame = (_letter: string, content: Buffer) => {
    let message: unknown;
    try {
      message = JSON.parse(content.toString());
    } catch {
      return onProblem('a message that is not JSON');
    }
    onMessage(message);
  };
  readFrames(channel, maxFrameBytes, onFrame, onProblem);
}

const keepBoth = (process: ChannelProcess) => ({
  stdout: keepStart(process.stdout, 64 * 1024),
  stderr: keepStart(process.stderr, 64 * 1024),
});

/** The last part of what a process writes: a result is its last line. */
function keepEnd({ stdout }: ChannelProcess) {
  let pieces: Buffer[] = [];
  let held = 0;
  stdout.on('data', (piece: Buffer) => {
    pieces.push(piece);
    held += piece.length;
    if (held > 2 * keptBytes) {
      pieces = [Buffer.concat(pieces).subarray(-keptBytes)];
      held = keptBytes;
    }
  });
  const ended = new Promise<void>((resolve) => {
    stdout.once('close', resolve);
    stdout.once('end', resolve);
  });
  return { ended, text: () => Buffer.concat(pieces).toString() };
}

/** @throws SandboxError (`unavailable`) where there is no Python or no isolation */
function plan(driver: string, { limits, unisolated }: DeepGymRun): ChannelPlan {
  const python = pythonFor('Python verifiers');
  if (unisolated) return plainPlan([python.file, '-I', gymAsset(`drivers/${driver}`)]);
  const shown = [driver, 'driver.py'];
  return {
    kind: 'sandbox',
    plan: isolated([python.file, '-I', `/anneal/${driver}`], {
      limits,
      binds: shown.map((name) => ({ host: gymAsset(`drivers/${name}`), inside: `/anneal/${name}`, writable: false })),
      workDirectory: 'tmpfs',
      language: 'python',
      extraFds: 1,
    }),
  };
}
