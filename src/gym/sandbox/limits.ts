import type { SandboxLimits } from './types.js';

export type SandboxLanguage = 'python' | 'javascript' | 'bash';

/** Threads that Node starts for itself. */
const nodeThreads = 12;
/** Megabytes that Node's heap limits, thread stacks and code take of the data limit before a program has allocated anything. */
const nodeDataMb = 256;
const openFiles = 256;

interface LimitOptions {
  readonly limits: SandboxLimits;
  readonly language?: SandboxLanguage | undefined;
  /** Whether the process lives as long as one command. A fork server's processor time must not run out. */
  readonly oneUse: boolean;
  /** Processes of the same user that are the sandbox's own. */
  readonly overhead: number;
}

/**
 * Arguments of `prlimit`. Address space is what holds best for an interpreter that allocates what it uses; V8 reserves far more than
 * it uses, so that Node, and a shell that may start it, are held by their private data instead.
 */
export function limitArguments({ limits, language, oneUse, overhead }: LimitOptions): string[] {
  const bytes = (mb: number) => Math.round(mb * 2 ** 20);
  const node = language === 'javascript';
  const memory =
    language === 'python'
      ? `--as=${bytes(limits.memoryMb)}`
      : `--data=${bytes(limits.memoryMb + (node || language === undefined ? nodeDataMb : 0))}`;
  return [
    memory,
    `--nproc=${limits.processes + overhead + (node ? nodeThreads : 0)}`,
    `--fsize=${bytes(limits.diskMb)}`,
    `--nofile=${openFiles}`,
    '--core=0',
    ...(oneUse ? [`--cpu=${Math.max(1, Math.ceil(limits.seconds * limits.processes) + 1)}`] : []),
  ];
}
