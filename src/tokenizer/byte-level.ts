/**
 * The byte alphabet of byte-level BPE: every byte has a printable character, so that vocabularies are ordinary text
 * (GPT-2, Radford et al. 2019). Printable Latin-1 stands for itself, the rest follows from U+0100 on.
 */
const printable = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);

let shifted = 0;
export const BYTE_CHARS: readonly string[] = Object.freeze(
  Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : 0x100 + shifted++)),
);

const CHAR_BYTES: ReadonlyMap<string, number> = new Map(BYTE_CHARS.map((char, byte) => [char, byte]));

const encoder = new TextEncoder();

/** The bytes of a byte-level token; a token with any other character is plain text and gives its UTF-8 bytes. */
export function byteLevelBytes(token: string): Uint8Array {
  const bytes = new Uint8Array(token.length);
  for (let i = 0; i < token.length; i++) {
    const byte = CHAR_BYTES.get(token[i]!);
    if (byte === undefined) return encoder.encode(token);
    bytes[i] = byte;
  }
  return bytes;
}
