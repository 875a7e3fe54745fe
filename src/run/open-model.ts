import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Decision, type RunConfig, UserError } from '../config/index.js';
import type { LocalEngineOptions } from '../engine/index.js';
import {
  type AdapterConfig,
  checkCheckpoint,
  linearModules,
  loadAdapter,
  locateCheckpoint,
  type ModelConfig,
  parseModelConfig,
  resolveModelSource,
  targetedModules,
} from '../models/index.js';
import { type Console, formatBytes } from '../observe/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import { digest } from './files.js';
import { configuredTokenizer, hasSeveralTemplates, readTokenizer, vocabularyBytes } from './open-tokenizer.js';

/** A model and its tokenizer, found and checked as far as the headers of its files tell, but not loaded yet. */
export interface ModelSource {
  /** Directory or GGUF file; null for random initialisation. */
  readonly path: string | null;
  readonly config: ModelConfig;
  readonly tokenizer: Tokenizer;
  /** `generation_config.json` of the base model. */
  readonly generationConfig: Readonly<Record<string, unknown>> | null;
  readonly decisions: readonly Decision[];
}

/** Finds the model and the tokenizer of a config; a hub id is downloaded if it is not cached. */
export async function openSource(config: RunConfig, console: Console): Promise<ModelSource> {
  const decisions: Decision[] = [];
  const path = config.base_model === null ? null : await resolveModel(config.base_model, console);
  const tokenizerPath =
    config.tokenizer_config === config.base_model && path !== null
      ? path
      : config.tokenizer_config.endsWith('tokenizer.json')
        ? config.tokenizer_config
        : await resolveModel(config.tokenizer_config, console);
  const tokenizer = configuredTokenizer(await readTokenizer(tokenizerPath), config);
  const modelConfig = path === null ? fromScratch(config, tokenizer, decisions) : await checkCheckpoint(path);
  checkFit(config, modelConfig, tokenizer);
  await checkAdapter(config, modelConfig);
  if (hasSeveralTemplates(config)) {
    const reason = 'datasets use different templates; this one is saved with the model and used for answers';
    decisions.push({ key: 'chat_template', value: 'that of the first dataset', reason });
  }
  const generationConfig = path === null ? null : await readGenerationConfig(path);
  return Object.freeze({ path, config: modelConfig, tokenizer, generationConfig, decisions });
}

/** Where a model lies; shows a bar while it is downloaded. */
export async function resolveModel(name: string, console: Console): Promise<string> {
  let bar: ReturnType<Console['progress']> | null = null;
  try {
    return await resolveModelSource(name, {
      ...(process.env.HF_TOKEN && { token: process.env.HF_TOKEN }),
      onProgress: ({ file, bytesDone, bytesTotal }) => {
        bar ??= console.progress({ label: `download ${name}`, total: bytesTotal, unit: 'bytes' });
        bar.update(bytesDone, `${file}  ${formatBytes(bytesTotal)} in all`);
      },
    });
  } finally {
    (bar as ReturnType<Console['progress']> | null)?.stop();
  }
}

function fromScratch(config: RunConfig, tokenizer: Tokenizer, decisions: Decision[]): ModelConfig {
  const json = { ...config.model_config };
  if (json.vocab_size === undefined) {
    json.vocab_size = tokenizer.vocabSize;
    decisions.push({ key: 'model_config.vocab_size', value: tokenizer.vocabSize, reason: 'the size of the tokenizer' });
  }
  return parseModelConfig(json, 'model_config');
}

function checkFit(config: RunConfig, model: ModelConfig, tokenizer: Tokenizer): void {
  if (tokenizer.vocabSize > model.vocabSize) {
    throw new UserError(
      `The tokenizer has ${tokenizer.vocabSize} tokens and the model rows for ${model.vocabSize}. Take the model's own tokenizer` +
        `${config.special_tokens === null ? '' : ', or special_tokens that it already has'}${config.model_config === null ? '' : ', or raise model_config.vocab_size'}.`,
    );
  }
  if (config.sequence_len > model.maxPositionEmbeddings) {
    throw new UserError(
      `sequence_len is ${config.sequence_len}, more than the ${model.maxPositionEmbeddings} positions of the model (max_position_embeddings). Lower it.`,
    );
  }
  if (config.adapter === 'lora' && config.model_config !== null) {
    throw new UserError(
      'adapter: lora needs base_model: an adapter of a random model (model_config) would fit no model that is saved. Remove adapter to train all weights.',
    );
  }
}

async function checkAdapter(config: RunConfig, model: ModelConfig): Promise<void> {
  const adapter = adapterOf(config, model);
  if (adapter === null) return;
  if ('path' in adapter) await loadAdapter(adapter.path, model);
  else targetedModules(model, adapter.targetModules);
}

export async function readGenerationConfig(path: string): Promise<Record<string, unknown> | null> {
  const text = await readFile(join(path, 'generation_config.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Record<string, unknown>);
}

/** The engine of a run that trains. */
export function engineOptions(config: RunConfig, source: ModelSource): LocalEngineOptions {
  return {
    model: source.path === null ? { config: source.config, seed: config.seed } : { path: source.path },
    train: config.adapter === 'lora' ? 'lora' : 'full',
    adapter: adapterOf(config, source.config),
    device: config.engine.device,
    threads: config.engine.threads,
    gradientCheckpointing: config.gradient_checkpointing,
    seed: config.seed,
    vocabulary: vocabularyBytes(source.tokenizer, source.config.vocabSize),
    baseModel: config.base_model ?? '',
    files: {},
    sampleSlots,
  };
}

/** Sequences decoded at once: beyond this, reading the cache costs more than a wider batch gains. */
export const sampleSlots = 32;

function adapterOf(config: RunConfig, model: ModelConfig): AdapterConfig | { readonly path: string } | null {
  if (config.adapter === null) return null;
  if (config.lora_model_dir !== null) return { path: config.lora_model_dir };
  const targets = config.lora_target_linear
    ? [...new Set(linearModules(model).map((module) => module.suffix))]
    : config.lora_target_modules!;
  return {
    r: config.lora_r!,
    alpha: config.lora_alpha!,
    dropout: config.lora_dropout,
    targetModules: targets,
    useRslora: config.peft_use_rslora,
  };
}

const edge = 1024 * 1024;

/** Digest of architecture and initial weights: the sizes of the weight files and their first and last megabyte. */
export async function modelDigest(source: ModelSource): Promise<string> {
  const parts: (string | Uint8Array)[] = [JSON.stringify(source.config.source)];
  if (source.path !== null) {
    const { format, path } = await locateCheckpoint(source.path);
    const names =
      format === 'gguf' ? [''] : (await readdir(path)).filter((name) => name.endsWith('.safetensors')).sort();
    for (const name of names) parts.push(...(await edges(join(path, name))));
  }
  return digest(parts);
}

async function edges(path: string): Promise<(string | Uint8Array)[]> {
  const file = await open(path, 'r');
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new UserError(`${path} is no file.`);
    const { size } = status;
    const read = async (start: number, length: number): Promise<Uint8Array> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    };
    return [
      String(size),
      await read(0, Math.min(edge, size)),
      await read(Math.max(0, size - edge), Math.min(edge, size)),
    ];
  } finally {
    await file.close();
  }
}
