export const sandboxNames = ['local', 'daytona', 'e2b', 'none'] as const;

/** `none` runs answers as ordinary processes of this user: only for answers that you trust. */
export type SandboxName = (typeof sandboxNames)[number];

/** What one answer may use. */
export interface SandboxLimits {
  /** Wall-clock seconds of one command; the whole process tree is killed after it. */
  readonly seconds: number;
  /** Of the whole process tree where a watchdog or cgroup is in force, otherwise of each process. */
  readonly memoryMb: number;
  /** Processes and threads at a time. */
  readonly processes: number;
  /** stdout and stderr together; more is cut off and the command killed. */
  readonly outputKb: number;
  /** All files written, together. */
  readonly diskMb: number;
}

export interface ExecOptions {
  readonly stdin?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Relative to the work directory. */
  readonly cwd?: string | undefined;
  /** Replaces the sandbox's own. */
  readonly seconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ExecResult {
  /** null when a signal or a limit ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Which limit ended the command. */
  readonly killedBy: 'time' | 'memory' | 'output' | 'disk' | null;
  readonly ms: number;
}

/** A place with a work directory that outlives the commands run in it. Processes do not outlive their command. */
export interface Sandbox {
  readonly id: string;
  /** The work directory, as commands see it. It is the directory they start in. */
  readonly directory: string;
  /** Runs a command, found on the sandbox's PATH. @throws SandboxError when the sandbox, not the command, failed */
  exec(command: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  /** A regular file of the work directory; never through a link. null when there is none. Refuses paths that lead out. */
  readFile(path: string): Promise<Uint8Array | null>;
  writeFile(path: string, content: Uint8Array | string, options?: { readonly mode?: number }): Promise<void>;
  /** Kills what runs and removes the files. Never throws. */
  dispose(): Promise<void>;
}

/** What is in force, found by trying rather than by asking. */
export interface SandboxCapabilities {
  readonly name: SandboxName;
  /** Whether untrusted code can be run in it. */
  readonly isolated: boolean;
  /** One line per protection: `no network`, `own process tree`, `memory limit (each process)`, … */
  readonly inForce: readonly string[];
  /** What is not, with the reason. */
  readonly missing: readonly string[];
  readonly languages: {
    readonly python: string | null;
    readonly javascript: string | null;
    readonly bash: string | null;
  };
}

export interface CreateSandboxOptions {
  readonly limits: SandboxLimits;
  /** Files of the work directory by relative path. */
  readonly files?: Readonly<Record<string, Uint8Array | string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface SandboxProvider {
  readonly name: SandboxName;
  /** @throws SandboxError saying what is missing and how to install it, where it cannot be used at all */
  capabilities(): Promise<SandboxCapabilities>;
  create(options: CreateSandboxOptions): Promise<Sandbox>;
  dispose(): Promise<void>;
}

/** The sandbox failed, not what ran in it: out of space, killed from outside, not installed, unreachable. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly expected = true;
  /** `timeout` is a remote sandbox's silence. */
  readonly reason: 'unavailable' | 'failed' | 'timeout';
  /** Whether another attempt may help. */
  readonly retryable: boolean;

  constructor(message: string, options: ErrorOptions & { reason?: SandboxError['reason']; retryable?: boolean } = {}) {
    super(message, options);
    this.reason = options.reason ?? 'failed';
    this.retryable = options.retryable ?? this.reason !== 'unavailable';
  }
}
