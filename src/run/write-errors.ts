import { UserError } from '../config/index.js';

const causes: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free some space, or lower save_total_limit',
  EDQUOT: 'the disk quota is used up. Free some space, or lower save_total_limit',
  EACCES: 'writing there is not permitted. Choose another path, or change the permissions',
  EPERM: 'writing there is not permitted. Choose another path, or change the permissions',
  EROFS: 'the file system is read-only. Choose another path',
  ENOENT: 'a folder cannot be made there. Choose another path',
  ENOTDIR: 'it, or a part of the path, is a file, not a folder. Choose another path',
};

/**
 * What a failed write means for the user; other errors come back as they are. The code is looked up in the message too,
 * as an error that crosses from a worker thread loses its `code`.
 */
export function explainWriteError(error: unknown, what: string, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const cause = causes[codeOf(error)];
  return cause === undefined ? error : new UserError(`Cannot write ${what} to ${path}: ${cause}.`, { cause: error });
}

/** The same for what is written all along a run, where only a full disk is sure to be about writing. */
export function explainFullDisk(error: unknown, path: string): unknown {
  const full = error instanceof Error && ['ENOSPC', 'EDQUOT'].includes(codeOf(error));
  return full ? explainWriteError(error, 'the files of the run', path) : error;
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? /\b(E[A-Z]{3,})\b/.exec(error.message)?.[1] ?? '';
}
