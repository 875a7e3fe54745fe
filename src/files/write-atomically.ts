import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

// One write call takes at most 2^31 - 1 bytes.
const maxBytesPerCall = 1024 * 1024 * 1024;

export async function writeFully(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, Math.min(bytes.length - done, maxBytesPerCall));
    done += bytesWritten;
  }
}

/**
 * Writes a file so that a crash at any moment leaves the old file or the new one, never a part: into a temporary
 * neighbour that is flushed to disk and then renamed.
 */
export async function writeAtomically(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w');
    try {
      await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

export async function writeTextAtomically(path: string, text: string): Promise<void> {
  await writeAtomically(path, (file) => writeFully(file, new TextEncoder().encode(text)));
}

/** Makes a rename durable. Windows cannot open a directory and needs no such step. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
