import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A stored reference tensor, row-major. `[]` is the shape of a scalar. */
export interface GoldenTensor {
  readonly shape: readonly number[];
  readonly data: Float32Array | Int32Array;
}

/** The absolute path of a file or folder under `test/golden`, say `models/llama`. */
export function goldenPath(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** The parsed JSON of a file under `test/golden`. */
export function readGoldenJson<T>(relative: string): T {
  return JSON.parse(readFileSync(goldenPath(relative), 'utf8')) as T;
}

/**
 * Every tensor of a safetensors file under `test/golden`, by name. Reads F32 and I32, which is all these files hold.
 * Independent of the product's own reader, so that a fault in that one cannot hide itself.
 */
export function readGolden(relative: string): ReadonlyMap<string, GoldenTensor> {
  const bytes = readFileSync(goldenPath(relative));
  const headerLength = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + headerLength)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  >;
  const tensors = new Map<string, GoldenTensor>();
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    const [start, end] = entry.data_offsets.map((offset) => offset + 8 + headerLength) as [number, number];
    const buffer = new Uint8Array(bytes.subarray(start, end)).buffer;
    if (entry.dtype === 'F32') tensors.set(name, { shape: entry.shape, data: new Float32Array(buffer) });
    else if (entry.dtype === 'I32') tensors.set(name, { shape: entry.shape, data: new Int32Array(buffer) });
    else throw new Error(`${relative}: tensor "${name}" has dtype ${entry.dtype}; golden files hold F32 and I32`);
  }
  return tensors;
}

/** The tensor of that name; a missing one is an error that lists what there is. */
export function golden(tensors: ReadonlyMap<string, GoldenTensor>, name: string): GoldenTensor {
  const tensor = tensors.get(name);
  if (!tensor) throw new Error(`no tensor "${name}" in this golden file; it has ${[...tensors.keys()].join(', ')}`);
  return tensor;
}
