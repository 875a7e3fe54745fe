import { readdir, rm, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { writeTextAtomically } from '../../files/index.js';
import { someNames } from '../../text/index.js';
import type { ModelConfig, Weight, Weights } from '../config.js';
import { type JsonObject, readJsonObject } from '../json-fields.js';
import { parameterShapes } from '../parameters.js';
import { parseModelConfig } from '../parse-config.js';
import { checkGguf, loadGguf, readGgufConfig } from './gguf-model.js';
import { openSafetensors } from './read-safetensors.js';
import { type FloatDtype, storedBytes, writeSafetensors } from './write-safetensors.js';

/** Where a model's files lie: a Hugging Face directory, or one GGUF file. */
export interface CheckpointLocation {
  readonly format: 'safetensors' | 'gguf';
  /** The directory, or the GGUF file. */
  readonly path: string;
}

export interface Checkpoint extends CheckpointLocation {
  readonly config: ModelConfig;
  readonly weights: Weights;
  /** `generation_config.json` where there is one. */
  readonly generationConfig: JsonObject | null;
}

const singleFile = 'model.safetensors';
const indexFile = 'model.safetensors.index.json';

/**
 * Finds the model at a path: a directory with `config.json`, a `.gguf` file, or a directory that holds one such file.
 * Throws, saying what was found instead, when there is none.
 */
export async function locateCheckpoint(path: string): Promise<CheckpointLocation> {
  const info = await stat(path).catch(() => null);
  if (info === null) throw new Error(`${path} does not exist. Give a directory with config.json, or a .gguf file.`);
  if (info.isFile()) {
    if (extname(path) === '.gguf') return { format: 'gguf', path };
    throw new Error(`${path} is not a checkpoint. Give a directory with config.json, or a .gguf file.`);
  }
  const names = await readdir(path);
  if (names.includes('config.json')) return { format: 'safetensors', path };
  const ggufs = names.filter((name) => extname(name) === '.gguf').sort();
  if (ggufs.length === 1) return { format: 'gguf', path: join(path, ggufs[0]!) };
  if (ggufs.length > 1) throw new Error(`${path} holds several GGUF files; name one of them: ${someNames(ggufs)}.`);
  if (names.includes('adapter_config.json')) {
    throw new Error(`${path} holds a PEFT adapter, not a model. Give its base model, and the adapter as the adapter.`);
  }
  throw new Error(
    `${path} has neither config.json nor a .gguf file; it holds ${someNames(names.sort()) || 'nothing'}.`,
  );
}

/** The config alone, without reading weights. */
export async function readModelConfig(path: string): Promise<ModelConfig> {
  const location = await locateCheckpoint(path);
  return location.format === 'gguf' ? readGgufConfig(location.path) : readConfigFile(location.path);
}

/**
 * The config of a model whose weights can be loaded, as far as the files' headers tell: throws what `loadCheckpoint` would
 * of missing, unknown, ill-shaped or truncated tensors, without reading them.
 */
export async function checkCheckpoint(path: string): Promise<ModelConfig> {
  const { format, path: found } = await locateCheckpoint(path);
  if (format === 'gguf') return checkGguf(found);
  const config = await readConfigFile(found);
  await locateWeights(found, config);
  return config;
}

/**
 * Loads a model as float32. Throws, naming tensors and file, when any is missing, unknown or of the wrong shape.
 * Buffers that old checkpoints carry (rotary `inv_freq`) and a stored copy of a tied output head are passed over.
 */
export async function loadCheckpoint(path: string): Promise<Checkpoint> {
  const location = await locateCheckpoint(path);
  if (location.format === 'gguf') {
    return Object.freeze({ ...location, ...(await loadGguf(location.path)), generationConfig: null });
  }
  const config = await readConfigFile(location.path);
  const generationPath = join(location.path, 'generation_config.json');
  const hasGeneration = (await stat(generationPath).catch(() => null)) !== null;
  return Object.freeze({
    ...location,
    config,
    weights: await readWeights(location.path, config),
    generationConfig: hasGeneration ? await readJsonObject(generationPath) : null,
  });
}

async function readConfigFile(directory: string): Promise<ModelConfig> {
  const path = join(directory, 'config.json');
  return parseModelConfig(await readJsonObject(path), path);
}

/** File names of the weights, with the tensors each is said to hold (null: not said). */
async function weightFiles(directory: string): Promise<ReadonlyMap<string, readonly string[] | null>> {
  const names = await readdir(directory);
  if (names.includes(singleFile)) return new Map([[singleFile, null]]);
  if (!names.includes(indexFile)) {
    const pickled = names.filter((name) => /\.(bin|pth?|ckpt)$/.test(name));
    const hint =
      pickled.length === 0 ? '' : ` It has ${someNames(pickled)}: convert it to safetensors (save_pretrained) first.`;
    throw new Error(`${directory} has neither ${singleFile} nor ${indexFile}.${hint}`);
  }
  const indexPath = join(directory, indexFile);
  const { weight_map: weightMap } = await readJsonObject(indexPath);
  if (typeof weightMap !== 'object' || weightMap === null) throw new Error(`${indexPath} has no weight_map.`);
  const files = new Map<string, string[]>();
  for (const [tensor, file] of Object.entries(weightMap)) {
    if (typeof file !== 'string' || /[\\/]/.test(file)) {
      throw new Error(`${indexPath}: ${tensor} must name a file in the same directory, not ${JSON.stringify(file)}.`);
    }
    files.set(file, [...(files.get(file) ?? []), tensor]);
  }
  const missing = [...files.keys()].filter((file) => !names.includes(file));
  if (missing.length > 0) {
    throw new Error(`${directory} lacks shards that ${indexFile} names: ${someNames(missing)}. Download them again.`);
  }
  return files;
}

/** The tensors to read, by the file they are in, checked against the config by the files' headers alone. */
async function locateWeights(directory: string, config: ModelConfig): Promise<ReadonlyMap<string, readonly string[]>> {
  const shapes = parameterShapes(config);
  const located = new Map<string, string[]>();
  const extra: string[] = [];
  for (const [fileName, promised] of await weightFiles(directory)) {
    const file = await openSafetensors(join(directory, fileName));
    await file.close();
    const names: string[] = [];
    for (const name of promised ?? file.tensors.keys()) {
      const shape = shapes.get(name);
      if (shape === undefined) {
        if (!isHarmless(name, config)) extra.push(name);
        continue;
      }
      const stored = file.checkFloat(name).shape;
      if (stored.join() !== shape.join()) {
        throw new Error(`${file.path}: tensor ${name} has shape [${stored}], but config.json means [${shape}].`);
      }
      names.push(name);
    }
    located.set(fileName, names);
  }
  const found = new Set([...located.values()].flat());
  const missing = [...shapes.keys()].filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`${directory} lacks tensors that config.json means: ${someNames(missing)}.`);
  if (extra.length > 0)
    throw new Error(`${directory} has tensors that config.json does not mean: ${someNames(extra)}.`);
  return located;
}

async function readWeights(directory: string, config: ModelConfig): Promise<Weights> {
  const found = new Map<string, Weight>();
  for (const [fileName, names] of await locateWeights(directory, config)) {
    const file = await openSafetensors(join(directory, fileName));
    try {
      for (const name of names) found.set(name, await file.readFloat(name));
    } finally {
      await file.close();
    }
  }
  return new Map([...parameterShapes(config).keys()].map((name) => [name, found.get(name)!]));
}

function isHarmless(name: string, config: ModelConfig): boolean {
  return name.endsWith('.rotary_emb.inv_freq') || (name === 'lm_head.weight' && config.tieWordEmbeddings);
}

export interface SaveOptions {
  readonly generationConfig?: JsonObject | null;
  /** Further text files by name, such as a tokenizer's. */
  readonly files?: ReadonlyMap<string, string>;
  /** What weights are stored as. Default F32. */
  readonly dtype?: FloatDtype;
  /** Bytes of tensors in one file, above which they are sharded. Default 5 GB, as transformers has it. */
  readonly maxShardBytes?: number;
}

const torchDtypes = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' } as const;

/**
 * Writes a Hugging Face checkpoint into a directory that exists: `model.safetensors` or shards with their index,
 * `config.json` as it was read but for its dtype, `generation_config.json` and further files where given.
 * Each file is replaced atomically; weight files of an earlier save that no longer belong are removed.
 */
export async function saveCheckpoint(
  directory: string,
  config: ModelConfig,
  weights: Weights,
  options: SaveOptions = {},
): Promise<void> {
  const dtype = options.dtype ?? 'F32';
  const names = [...parameterShapes(config).keys()];
  const missing = names.filter((name) => !weights.has(name));
  if (missing.length > 0) throw new Error(`Cannot save to ${directory}: the weights lack ${someNames(missing)}.`);

  const shards = splitIntoShards(names, weights, dtype, options.maxShardBytes ?? 5e9);
  const fileName = (shard: number) =>
    shards.length === 1 ? singleFile : `model-${padded(shard + 1)}-of-${padded(shards.length)}.safetensors`;
  for (const [i, shard] of shards.entries()) {
    const tensors = new Map(shard.map((name) => [name, weights.get(name)!]));
    await writeSafetensors(join(directory, fileName(i)), tensors, { floatDtype: dtype });
  }
  if (shards.length > 1) {
    const index = {
      metadata: { total_size: names.reduce((sum, name) => sum + storedBytes(weights.get(name)!, dtype), 0) },
      weight_map: Object.fromEntries(shards.flatMap((shard, i) => shard.map((name) => [name, fileName(i)]))),
    };
    await writeJson(join(directory, indexFile), index);
  }
  await removeStaleWeights(directory, new Set([...shards.keys()].map(fileName)));

  await writeJson(join(directory, 'config.json'), savedConfig(config, torchDtypes[dtype]));
  if (options.generationConfig) {
    await writeJson(join(directory, 'generation_config.json'), options.generationConfig);
  }
  for (const [name, text] of options.files ?? []) await writeTextAtomically(join(directory, name), text);
}

function savedConfig(config: ModelConfig, torchDtype: string): JsonObject {
  // transformers 5 writes `dtype`, versions before it `torch_dtype`; both read both.
  const key = 'dtype' in config.source ? 'dtype' : 'torch_dtype';
  return { ...config.source, [key]: torchDtype };
}

function splitIntoShards(names: readonly string[], weights: Weights, dtype: FloatDtype, maxBytes: number): string[][] {
  const shards: string[][] = [[]];
  let bytes = 0;
  for (const name of names) {
    const size = storedBytes(weights.get(name)!, dtype);
    if (bytes > 0 && bytes + size > maxBytes) {
      shards.push([]);
      bytes = 0;
    }
    shards.at(-1)!.push(name);
    bytes += size;
  }
  return shards;
}

async function removeStaleWeights(directory: string, current: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(directory)) {
    const stale =
      (name === singleFile && !current.has(name)) ||
      (name === indexFile && current.has(singleFile)) ||
      (/^model-\d{5}-of-\d{5}\.safetensors$/.test(name) && !current.has(name));
    if (stale) await rm(join(directory, name));
  }
}

function padded(n: number): string {
  return String(n).padStart(5, '0');
}

function writeJson(path: string, value: JsonObject): Promise<void> {
  return writeTextAtomically(path, `${JSON.stringify(value, null, 2)}\n`);
}
