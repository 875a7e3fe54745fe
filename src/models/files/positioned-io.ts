import type { FileHandle } from 'node:fs/promises';

// One read call takes at most 2^31 - 1 bytes.
const maxBytesPerCall = 1024 * 1024 * 1024;

/** Fills `target` from `position` on. Throws when the file ends before. */
export async function readExactly(file: FileHandle, path: string, target: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < target.length; ) {
    const length = Math.min(target.length - done, maxBytesPerCall);
    const { bytesRead } = await file.read(target, done, length, position + done);
    if (bytesRead === 0) throw new Error(`${path} is truncated: it ends at byte ${position + done}.`);
    done += bytesRead;
  }
}
