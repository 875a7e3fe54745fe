import { isJsonObject, parseJsonObject } from '../json-fields.js';

/** Bytes an element takes, for every dtype of the format; only some of them can be read as numbers here. */
export const dtypeBytes = Object.freeze({
  F64: 8,
  I64: 8,
  U64: 8,
  F32: 4,
  I32: 4,
  U32: 4,
  F16: 2,
  BF16: 2,
  I16: 2,
  U16: 2,
  F8_E4M3: 1,
  F8_E5M2: 1,
  I8: 1,
  U8: 1,
  BOOL: 1,
});

export type SafetensorsDtype = keyof typeof dtypeBytes;

export interface TensorEntry {
  readonly dtype: SafetensorsDtype;
  readonly shape: readonly number[];
  /** Byte range in the file. */
  readonly start: number;
  readonly end: number;
}

export interface SafetensorsHeader {
  readonly metadata: ReadonlyMap<string, string>;
  readonly tensors: ReadonlyMap<string, TensorEntry>;
}

/** The limit of the reference implementation. */
export const maxHeaderBytes = 100_000_000;

/**
 * Parses and checks the JSON header. `dataStart` is where tensor bytes begin in a file of `fileBytes`.
 * Throws when an entry is malformed, when ranges overlap or leave gaps, or when the file is shorter than they say.
 */
export function parseHeader(json: string, path: string, dataStart: number, fileBytes: number): SafetensorsHeader {
  const header = parseJsonObject(json, `${path}: the safetensors header`);
  const metadata = new Map<string, string>();
  const tensors = new Map<string, TensorEntry>();
  for (const [name, value] of Object.entries(header)) {
    if (name === '__metadata__') {
      if (!isJsonObject(value)) throw new Error(`${path}: __metadata__ must be an object of strings.`);
      for (const [key, text] of Object.entries(value)) metadata.set(key, String(text));
    } else {
      tensors.set(name, parseEntry(name, value, path, dataStart));
    }
  }
  checkRanges(tensors, path, dataStart, fileBytes);
  return { metadata, tensors };
}

function parseEntry(name: string, value: unknown, path: string, dataStart: number): TensorEntry {
  const bad = (what: string) => new Error(`${path}: tensor ${name} ${what}.`);
  if (!isJsonObject(value)) throw bad('has no object in the header');
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== 'string' || !Object.hasOwn(dtypeBytes, dtype)) {
    throw bad(`has the unknown dtype ${JSON.stringify(dtype)}; known: ${Object.keys(dtypeBytes).join(', ')}`);
  }
  if (!isSizes(shape)) throw bad(`has the malformed shape ${JSON.stringify(shape)}`);
  if (!isSizes(offsets) || offsets.length !== 2) throw bad(`has malformed data_offsets ${JSON.stringify(offsets)}`);
  const [begin, end] = offsets as [number, number];
  const bytes = shape.reduce((product, n) => product * n, dtypeBytes[dtype as SafetensorsDtype]);
  if (end - begin !== bytes) {
    throw bad(
      `of dtype ${dtype} and shape [${shape}] needs ${bytes} bytes, but data_offsets [${offsets}] give ${end - begin}`,
    );
  }
  return { dtype: dtype as SafetensorsDtype, shape, start: dataStart + begin, end: dataStart + end };
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);
}

function checkRanges(
  tensors: ReadonlyMap<string, TensorEntry>,
  path: string,
  dataStart: number,
  fileBytes: number,
): void {
  let position = dataStart;
  let previous = 'the header';
  for (const [name, entry] of [...tensors].sort(([, a], [, b]) => a.start - b.start || a.end - b.end)) {
    if (entry.start < position) throw new Error(`${path}: the bytes of tensors ${previous} and ${name} overlap.`);
    if (entry.start > position) {
      throw new Error(`${path}: ${entry.start - position} bytes between ${previous} and ${name} belong to no tensor.`);
    }
    position = entry.end;
    previous = name;
  }
  if (fileBytes < position) {
    throw new Error(
      `${path} is truncated: its header describes ${position} bytes, but the file has ${fileBytes}. Copy or download it again.`,
    );
  }
  if (fileBytes > position)
    throw new Error(`${path}: ${fileBytes - position} bytes after the last tensor belong to none.`);
}
