import { bf16ArrayToF32, f16ArrayToF32, f16ToF32 } from './half-floats.js';

/**
 * Block formats of llama.cpp (ggml-quants): elements a block holds and bytes it takes. A value is scale × integer, plus
 * or minus an offset where the format has one. Arithmetic is rounded to float32 step by step, as ggml does it.
 */
interface BlockFormat {
  readonly elements: number;
  readonly bytes: number;
  readonly decode: (bytes: Uint8Array, target: Float32Array, blocks: number) => void;
}

const f32 = Math.fround;

const formats: Readonly<Record<string, BlockFormat>> = {
  F32: {
    elements: 1,
    bytes: 4,
    decode: (bytes, target) => new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes),
  },
  F16: { elements: 1, bytes: 2, decode: (bytes, target) => f16ArrayToF32(asHalves(bytes), target) },
  BF16: { elements: 1, bytes: 2, decode: (bytes, target) => bf16ArrayToF32(asHalves(bytes), target) },
  Q4_0: { elements: 32, bytes: 18, decode: decodeQ4_0 },
  Q4_1: { elements: 32, bytes: 20, decode: decodeQ4_1 },
  Q8_0: { elements: 32, bytes: 34, decode: decodeQ8_0 },
  Q4_K: { elements: 256, bytes: 144, decode: decodeQ4_K },
  Q6_K: { elements: 256, bytes: 210, decode: decodeQ6_K },
};

/** The GGML tensor types that can be read. */
export const supportedGgmlTypes: readonly string[] = Object.keys(formats);

/** Bytes that `elements` values take, or null when the type is unsupported or they do not fill whole blocks. */
export function ggmlBytes(type: string, elements: number): number | null {
  const format = formats[type];
  if (format === undefined || elements % format.elements !== 0) return null;
  return (elements / format.elements) * format.bytes;
}

/** Expands `elements` values of a supported type to float32. `bytes` holds exactly their blocks. */
export function dequantize(type: string, bytes: Uint8Array, elements: number): Float32Array {
  const format = formats[type];
  if (format === undefined || ggmlBytes(type, elements) !== bytes.length) {
    throw new Error(`${bytes.length} bytes of GGML type ${type} do not hold ${elements} values.`);
  }
  const target = new Float32Array(elements);
  format.decode(bytes, target, elements / format.elements);
  return target;
}

function asHalves(bytes: Uint8Array): Uint16Array {
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice();
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.length / 2);
}

function halfAt(bytes: Uint8Array, at: number): number {
  return f16ToF32(bytes[at]! | (bytes[at + 1]! << 8));
}

function signed(byte: number): number {
  return (byte << 24) >> 24;
}

/** f16 scale, then 16 bytes: low nibbles are values 0–15, high nibbles 16–31, both offset by 8. */
function decodeQ4_0(bytes: Uint8Array, target: Float32Array, blocks: number): void {
  for (let block = 0; block < blocks; block++) {
    const at = block * 18;
    const out = block * 32;
    const scale = halfAt(bytes, at);
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 2 + i]!;
      target[out + i] = scale * ((pair & 15) - 8);
      target[out + 16 + i] = scale * ((pair >> 4) - 8);
    }
  }
}

/** f16 scale, f16 minimum, then nibbles as in Q4_0 without an offset. */
function decodeQ4_1(bytes: Uint8Array, target: Float32Array, blocks: number): void {
  for (let block = 0; block < blocks; block++) {
    const at = block * 20;
    const out = block * 32;
    const scale = halfAt(bytes, at);
    const minimum = halfAt(bytes, at + 2);
    for (let i = 0; i < 16; i++) {
      const pair = bytes[at + 4 + i]!;
      target[out + i] = f32(scale * (pair & 15)) + minimum;
      target[out + 16 + i] = f32(scale * (pair >> 4)) + minimum;
    }
  }
}

/** f16 scale, then 32 signed bytes. */
function decodeQ8_0(bytes: Uint8Array, target: Float32Array, blocks: number): void {
  for (let block = 0; block < blocks; block++) {
    const at = block * 34;
    const scale = halfAt(bytes, at);
    for (let i = 0; i < 32; i++) target[block * 32 + i] = scale * signed(bytes[at + 2 + i]!);
  }
}

/**
 * f16 scale and f16 minimum of the block, 12 bytes with eight 6-bit scales and eight 6-bit minimums, 128 bytes of nibbles:
 * of each 32 bytes the low nibbles are one group of 32 values and the high nibbles the next.
 */
function decodeQ4_K(bytes: Uint8Array, target: Float32Array, blocks: number): void {
  for (let block = 0; block < blocks; block++) {
    const at = block * 144;
    const blockScale = halfAt(bytes, at);
    const blockMinimum = halfAt(bytes, at + 2);
    const packed = at + 4;
    for (let group = 0; group < 8; group++) {
      let scale: number;
      let minimum: number;
      if (group < 4) {
        scale = bytes[packed + group]! & 63;
        minimum = bytes[packed + group + 4]! & 63;
      } else {
        const low = bytes[packed + group + 4]!;
        scale = (low & 15) | ((bytes[packed + group - 4]! >> 6) << 4);
        minimum = (low >> 4) | ((bytes[packed + group]! >> 6) << 4);
      }
      const groupScale = f32(blockScale * scale);
      const groupMinimum = f32(blockMinimum * minimum);
      const nibbles = at + 16 + (group >> 1) * 32;
      const shift = (group & 1) * 4;
      const out = block * 256 + group * 32;
      for (let i = 0; i < 32; i++) {
        target[out + i] = f32(groupScale * ((bytes[nibbles + i]! >> shift) & 15)) - groupMinimum;
      }
    }
  }
}

/**
 * 128 bytes of low nibbles, 64 bytes of high bit pairs, 16 signed scales, f16 scale of the block. Each half of 128 values
 * takes 64 + 32 of those bytes; values are 6 bits, offset by 32, with one scale for 16 of them.
 */
function decodeQ6_K(bytes: Uint8Array, target: Float32Array, blocks: number): void {
  for (let block = 0; block < blocks; block++) {
    const at = block * 210;
    const blockScale = halfAt(bytes, at + 208);
    for (let i = 0; i < 256; i++) {
      const half = i >> 7;
      const quarter = (i >> 5) & 3;
      const lane = i & 31;
      const low = bytes[at + half * 64 + (quarter & 1) * 32 + lane]! >> (quarter & 2 ? 4 : 0);
      const high = bytes[at + 128 + half * 32 + lane]! >> (2 * quarter);
      const value = ((low & 15) | ((high & 3) << 4)) - 32;
      target[block * 256 + i] = f32(blockScale * signed(bytes[at + 192 + (i >> 4)]!)) * value;
    }
  }
}
