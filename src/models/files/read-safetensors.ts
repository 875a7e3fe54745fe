import { type FileHandle, open } from 'node:fs/promises';
import type { Weight } from '../config.js';
import { didYouMean } from '../nearest.js';
import { bf16ArrayToF32, f16ArrayToF32 } from './half-floats.js';
import { readExactly } from './positioned-io.js';
import { maxHeaderBytes, parseHeader, type SafetensorsHeader, type TensorEntry } from './safetensors-format.js';

/** An open safetensors file. Only the header is in memory; each tensor is read when asked for. */
export interface SafetensorsFile extends SafetensorsHeader {
  readonly path: string;
  /** Throws where `readFloat` would refuse the tensor for its name or dtype. */
  checkFloat(name: string): TensorEntry;
  /** A tensor of dtype F32, F16 or BF16 as float32. Another dtype, or an unknown name, is an error. */
  readFloat(name: string): Promise<Weight>;
  /** The tensor's bytes as stored, little-endian, in a buffer of their own. */
  readBytes(name: string): Promise<Uint8Array>;
  close(): Promise<void>;
}

const readableDtypes = ['F32', 'F16', 'BF16'];
const convertedPerRead = 4 * 1024 * 1024;

/**
 * Opens a safetensors file and checks its header. Throws, naming the file, when it does not exist, is truncated, has an
 * impossible header, or when the tensors' byte ranges overlap or leave gaps.
 */
export async function openSafetensors(path: string): Promise<SafetensorsFile> {
  const file = await open(path, 'r').catch((cause: NodeJS.ErrnoException) => {
    throw new Error(`${path} ${cause.code === 'ENOENT' ? 'does not exist' : `cannot be opened: ${cause.message}`}.`, {
      cause,
    });
  });
  try {
    const header = await readHeader(file, path);
    return Object.freeze({
      path,
      ...header,
      checkFloat: (name: string) => floatEntryOf(header, path, name),
      readFloat: async (name: string) => readFloat(file, path, floatEntryOf(header, path, name)),
      readBytes: async (name: string) => readRaw(file, path, entryOf(header, path, name)),
      close: () => file.close(),
    });
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readHeader(file: FileHandle, path: string): Promise<SafetensorsHeader> {
  const status = await file.stat();
  if (status.isDirectory()) throw new Error(`${path} is a directory, not a safetensors file.`);
  const { size } = status;
  if (size < 8) {
    throw new Error(`${path} is not a safetensors file: it has ${size} bytes, fewer than the 8 of the header length.`);
  }
  const prefix = new Uint8Array(8);
  await readExactly(file, path, prefix, 0);
  if (new TextDecoder().decode(prefix) === 'version ') {
    throw new Error(`${path} is not a safetensors file but a Git LFS pointer to one; fetch it with git lfs pull.`);
  }
  const length = new DataView(prefix.buffer).getBigUint64(0, true);
  if (length > BigInt(maxHeaderBytes)) {
    throw new Error(
      `${path} is not a safetensors file: it claims a header of ${length} bytes; the format allows ${maxHeaderBytes}.`,
    );
  }
  const dataStart = 8 + Number(length);
  if (dataStart > size) {
    throw new Error(`${path} is truncated: its header takes ${dataStart} bytes, but the file has ${size}.`);
  }
  const json = new Uint8Array(Number(length));
  await readExactly(file, path, json, 8);
  return parseHeader(new TextDecoder().decode(json), path, dataStart, size);
}

function entryOf(header: SafetensorsHeader, path: string, name: string): TensorEntry {
  const entry = header.tensors.get(name);
  if (entry === undefined) {
    throw new Error(`${path} has no tensor ${name}.${didYouMean(name, header.tensors.keys())}`);
  }
  return entry;
}

function floatEntryOf(header: SafetensorsHeader, path: string, name: string): TensorEntry {
  const entry = entryOf(header, path, name);
  if (readableDtypes.includes(entry.dtype)) return entry;
  throw new Error(
    `${path}: tensor ${name} has dtype ${entry.dtype}; as numbers these can be read: ${readableDtypes.join(', ')}.`,
  );
}

async function readRaw(file: FileHandle, path: string, entry: TensorEntry): Promise<Uint8Array> {
  const bytes = new Uint8Array(entry.end - entry.start);
  await readExactly(file, path, bytes, entry.start);
  return bytes;
}

async function readFloat(file: FileHandle, path: string, { dtype, shape, start }: TensorEntry): Promise<Weight> {
  const size = shape.reduce((product, n) => product * n, 1);
  const data = new Float32Array(size);
  if (dtype === 'F32') {
    await readExactly(file, path, new Uint8Array(data.buffer), start);
    return { shape, data };
  }
  const convert = dtype === 'F16' ? f16ArrayToF32 : bf16ArrayToF32;
  const piece = new Uint16Array(Math.min(size, convertedPerRead));
  for (let done = 0; done < size; done += piece.length) {
    const halves = piece.subarray(0, Math.min(piece.length, size - done));
    await readExactly(file, path, new Uint8Array(halves.buffer, 0, halves.byteLength), start + 2 * done);
    convert(halves, data.subarray(done, done + halves.length));
  }
  return { shape, data };
}
