import { readFile } from 'node:fs/promises';
import { gymAsset } from '../assets.js';
import { type Sandbox, SandboxError } from '../sandbox/types.js';
import { trustedCommand } from './launch.js';

/** What lies at a path of a work directory. One of the keys besides `mode` says what it is. */
interface CollectedFile {
  /** Permission bits. */
  readonly mode: number;
  /** Of a regular file whose bytes are UTF-8. */
  readonly text?: string;
  /** Of any other regular file. */
  readonly base64?: string;
  /** Where a symbolic link points; it is never followed. */
  readonly link?: string;
  readonly directory?: true;
  /** `fifo`, `socket`, `device`; never opened. */
  readonly special?: string;
  /** Why its content is missing: too large, no permission. */
  readonly unread?: string;
}

export interface Collected {
  readonly files: Readonly<Record<string, CollectedFile>>;
  /** Why not everything is listed. null where all is. */
  readonly cut: string | null;
}

const COLLECT_SECONDS = 20;

/**
 * What lies in the sandbox's work directory. Nothing else may run in the sandbox meanwhile. At most 4000 entries, 1 MiB of a file, 4 MiB in all.
 * @throws SandboxError when the sandbox failed
 */
export async function collect(sandbox: Sandbox, signal?: AbortSignal): Promise<Collected> {
  const source = await readFile(gymAsset('drivers/collect.py'), 'utf8');
  const result = await sandbox.exec(trustedCommand(source), {
    seconds: COLLECT_SECONDS,
    signal,
  });
  if (result.exitCode === 0) return JSON.parse(result.stdout) as Collected;
  if (result.killedBy !== null)
    return { files: {}, cut: `it could not be read within the limit of ${result.killedBy}` };
  throw new SandboxError(`the work directory cannot be read: ${result.stderr.slice(-1000)}`);
}
