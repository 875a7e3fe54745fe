import { UserError } from '../config/index.js';

const causes: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free some space, or lower save_total_limit',
  EDQUOT: 'the disk quota is used up. Free some space, or lower save_total_limit',
  EACCES: 'writing there is not permitted. Choose another output_dir, or change the permissions',
  EPERM: 'writing there is not permitted. Choose another output_dir, or change the permissions',
  EROFS: 'the file system is read-only. Choose another output_dir',
  ENOENT: 'a folder cannot be made there. Choose another output_dir',
  ENOTDIR: 'a part of the path is a file, not a folder. Choose another output_dir',
};

/**
 * What a failed write means for the user; other errors come back as they are. The code is looked up in the message too,
 * as an error that crosses from a worker thread loses its `code`.
 */
export function explainWriteError(error: unknown, what: string, path: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = (error as NodeJS.ErrnoException).code ?? /\b(E[A-Z]{3,})\b/.exec(error.message)?.[1] ?? '';
  const cause = causes[code];
  return cause === undefined ? error : new UserError(`Cannot write ${what} to ${path}: ${cause}.`, { cause: error });
}
