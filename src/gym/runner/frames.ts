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

/** Calls back with each frame's content. A length above the limit is an error of the peer's. */
export function readFrames(
  channel: Readable,
  maxBytes: number,
  onFrame: (message: unknown) => void,
  onError: (problem: string) => void,
): void {
  let pieces: Buffer[] = [];
  let held = 0;
  const take = (count: number): Buffer => {
    const all = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    pieces = [all.subarray(count)];
    held -= count;
    return all.subarray(0, count);
  };
  let length: number | null = null;
  channel.on('data', (piece: Buffer) => {
    pieces.push(piece);
    held += piece.length;
    for (;;) {
      if (length === null) {
        if (held < 4) return;
        length = take(4).readUInt32BE();
        if (length > maxBytes) return onError(`a frame of ${length} bytes`);
      }
      if (held < length) return;
      const body = take(length).toString();
      length = null;
      let message: unknown;
      try {
        message = JSON.parse(body);
      } catch {
        return onError('a frame that is not JSON');
      }
      onFrame(message);
    }
  });
}
