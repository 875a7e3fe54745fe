import { open } from 'node:fs/promises';
import type { Weight } from '../config.js';
import { didYouMean } from '../nearest.js';
import { dequantize, ggmlBytes, supportedGgmlTypes } from './gguf-dequantize.js';
import { readExactly } from './positioned-io.js';

export type GgufValue = string | number | bigint | boolean | readonly GgufValue[];

export interface GgufTensor {
  /** GGML type: `F32`, `Q4_K`, … */
  readonly type: string;
  /** Row-major, outermost dimension first (the reverse of the file's order). */
  readonly shape: readonly number[];
  /** First byte in the file. */
  readonly start: number;
}

/** An open GGUF file. Metadata and tensor infos are in memory; each tensor is read when asked for. */
export interface GgufFile {
  readonly path: string;
  /** Integers of 64 bits are numbers where they are safe, else bigints. */
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
  /** Throws where `readFloat` would refuse the tensor for its name or type. */
  checkFloat(name: string): GgufTensor;
  /** A tensor dequantised to float32. A type that is not supported is an error that lists those that are. */
  readFloat(name: string): Promise<Weight>;
  close(): Promise<void>;
}

/** Opens a GGUF file. Throws, naming the file, when it is no GGUF file, big-endian, one of several parts, or truncated. */
export async function openGguf(path: string): Promise<GgufFile> {
  const { metadata, tensors } = await readInfos(path);
  const parts = Number(metadata.get('split.count') ?? 1);
  if (parts > 1) {
    throw new Error(`${path} is one of ${parts} parts; join them first (llama.cpp: llama-gguf-split --merge).`);
  }
  const file = await open(path, 'r');
  const { size } = await file.stat();
  for (const [name, tensor] of tensors) {
    const bytes = ggmlBytes(tensor.type, elementsOf(tensor)) ?? 0;
    if (tensor.start + bytes > size) {
      await file.close();
      throw new Error(
        `${path} is truncated: tensor ${name} ends at byte ${tensor.start + bytes}, but the file has ${size}. Copy or download it again.`,
      );
    }
  }
  const checkFloat = (name: string): GgufTensor => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(`${path} has no tensor ${name}.${didYouMean(name, tensors.keys())}`);
    if (ggmlBytes(tensor.type, elementsOf(tensor)) === null) {
      throw new Error(
        `${path}: tensor ${name} of shape [${tensor.shape}] has GGML type ${tensor.type}; supported: ${supportedGgmlTypes.join(', ')} in whole blocks.`,
      );
    }
    return tensor;
  };
  return Object.freeze({
    path,
    metadata,
    tensors,
    checkFloat,
    async readFloat(name: string) {
      const tensor = checkFloat(name);
      const elements = elementsOf(tensor);
      const bytes = new Uint8Array(ggmlBytes(tensor.type, elements)!);
      await readExactly(file, path, bytes, tensor.start);
      return { shape: tensor.shape, data: dequantize(tensor.type, bytes, elements) };
    },
    close: () => file.close(),
  });
}

/** All metadata of a GGUF file, such as `tokenizer.ggml.tokens`. */
export async function ggufMetadata(path: string): Promise<ReadonlyMap<string, GgufValue>> {
  return (await readInfos(path)).metadata;
}

async function readInfos(path: string): Promise<Pick<GgufFile, 'metadata' | 'tensors'>> {
  const { gguf, GGMLQuantizationType } = await import('@huggingface/gguf');
  let parsed: Awaited<ReturnType<typeof gguf>>;
  try {
    parsed = await gguf(path, { allowLocalFile: true });
  } catch (cause) {
    throw new Error(`${path} cannot be read as GGUF: ${(cause as Error).message}.`, { cause });
  }
  if (!parsed.littleEndian)
    throw new Error(`${path} is a big-endian GGUF file; only little-endian files are supported.`);
  const metadata = new Map<string, GgufValue>();
  for (const [key, value] of Object.entries(parsed.metadata)) metadata.set(key, plainValue(value as GgufValue));
  const tensors = new Map<string, GgufTensor>();
  for (const info of parsed.tensorInfos) {
    // The reader pads a short file with zeros, which read as tensors without a name.
    if (info.name === '' || tensors.has(info.name)) {
      throw new Error(
        `${path} is malformed or truncated: tensor name ${JSON.stringify(info.name)} is empty or repeated.`,
      );
    }
    tensors.set(info.name, {
      type: GGMLQuantizationType[info.dtype] ?? `number ${info.dtype}`,
      shape: info.shape.map(Number).reverse(),
      start: Number(parsed.tensorDataOffset + info.offset),
    });
  }
  return { metadata, tensors };
}

function plainValue(value: GgufValue): GgufValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  return Array.isArray(value) ? value.map(plainValue) : value;
}

function elementsOf(tensor: GgufTensor): number {
  return tensor.shape.reduce((product, n) => product * n, 1);
}
