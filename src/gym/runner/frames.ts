import type { Duplex, Readable } from 'node:stream';

/** Four bytes of length, big endian, and JSON. */
export function writeFrame(channel: Duplex, message: unknown): void {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  channel.cork();
  channel.write(head);
  channel.write(body);
  channel.uncork();
}

/** Calls back with each frame's letter and content. A length above the limit is an error of the peer's. */
export function readFrames(
  channel: Readable,
  maxBytes: number,
  onFrame: (letter: string, content: Buffer) => void,
  onError: (problem: string) => void,
): void {
  let held: Buffer = Buffer.alloc(0);
  channel.on('data', (piece: Buffer) => {
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    while (held.length >= 5) {
      const length = held.readUInt32BE();
      if (length < 1 || length > maxBytes) return onError(`a frame of ${length} bytes`);
      if (held.length < 4 + length) return;
      onFrame(String.fromCharCode(held[4]!), held.subarray(5, 4 + length));
      held = held.subarray(4 + length);
    }
  });
}
