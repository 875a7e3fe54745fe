import { writeAtomically, writeFully } from '../../files/index.js';
import { f32ToBf16, f32ToF16 } from './half-floats.js';
import { dtypeBytes, type SafetensorsDtype } from './safetensors-format.js';

export type FloatDtype = 'F32' | 'F16' | 'BF16';

/** A tensor to be written. Its dtype follows from the array: F32 (or the float dtype asked for), I64, I32, U8. */
export interface WritableTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array | BigInt64Array | Int32Array | Uint8Array;
}

export interface WriteOptions {
  /** What float tensors are stored as, rounded to nearest even. Default F32. */
  readonly floatDtype?: FloatDtype;
  /** Strings for the header. Default `{format: 'pt'}`, which transformers expects. */
  readonly metadata?: Readonly<Record<string, string>>;
}

const convertedPerWrite = 4 * 1024 * 1024;

/**
 * Writes a safetensors file atomically. Tensors are laid out by element size, then by name, so equal tensors give equal
 * files. Throws when a tensor's data does not fill its shape.
 */
export async function writeSafetensors(
  path: string,
  tensors: ReadonlyMap<string, WritableTensor>,
  options: WriteOptions = {},
): Promise<void> {
  const floatDtype = options.floatDtype ?? 'F32';
  const entries = [...tensors]
    .map(([name, tensor]) => ({ name, tensor, dtype: dtypeOf(tensor, floatDtype) }))
    .sort((a, b) => dtypeBytes[b.dtype] - dtypeBytes[a.dtype] || (a.name < b.name ? -1 : 1));

  const header: Record<string, unknown> = Object.create(null);
  header.__metadata__ = options.metadata ?? { format: 'pt' };
  let offset = 0;
  for (const { name, tensor, dtype } of entries) {
    const size = tensor.shape.reduce((product, n) => product * n, 1);
    if (size !== tensor.data.length) {
      throw new Error(`${path}: tensor ${name} of shape [${tensor.shape}] holds ${tensor.data.length} values.`);
    }
    const end = offset + size * dtypeBytes[dtype];
    header[name] = { dtype, shape: tensor.shape, data_offsets: [offset, end] };
    offset = end;
  }
  await writeAtomically(path, async (file) => {
    await writeFully(file, headerBytes(header));
    for (const { tensor, dtype } of entries) {
      for (const piece of storedPieces(tensor.data, dtype)) await writeFully(file, piece);
    }
  });
}

/** Bytes a tensor takes in a file. */
export function storedBytes(tensor: WritableTensor, floatDtype: FloatDtype): number {
  return tensor.data.length * dtypeBytes[dtypeOf(tensor, floatDtype)];
}

function dtypeOf({ data }: WritableTensor, floatDtype: FloatDtype): SafetensorsDtype {
  if (data instanceof Float32Array) return floatDtype;
  if (data instanceof BigInt64Array) return 'I64';
  return data instanceof Int32Array ? 'I32' : 'U8';
}

/** The length prefix and the JSON, padded with spaces so that tensor data starts at a multiple of 8. */
function headerBytes(header: Record<string, unknown>): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(json.length / 8) * 8;
  const bytes = new Uint8Array(8 + length).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(json, 8);
  return bytes;
}

function* storedPieces(data: WritableTensor['data'], dtype: SafetensorsDtype): Generator<Uint8Array> {
  if (dtype !== 'F16' && dtype !== 'BF16') {
    yield new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return;
  }
  const floats = data as Float32Array;
  const convert = dtype === 'F16' ? f32ToF16 : f32ToBf16;
  for (let start = 0; start < floats.length; start += convertedPerWrite) {
    const halves = Uint16Array.from(floats.subarray(start, start + convertedPerWrite), convert);
    yield new Uint8Array(halves.buffer);
  }
}
