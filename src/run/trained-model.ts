import { readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type RunConfig, UserError } from '../config/index.js';
import type { LocalEngineOptions } from '../engine/index.js';
import { readModelConfig } from '../models/index.js';
import type { Console } from '../observe/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import { listCheckpoints } from './checkpoint.js';
import { readGenerationConfig, resolveModel, sampleSlots } from './open-model.js';
import { answerEnds, configuredTokenizer, readTokenizer, vocabularyBytes } from './open-tokenizer.js';

/** A model to answer with or to merge: found, not loaded. */
export interface TrainedModel {
  /** Directory or GGUF file of the whole model, or of the one that the adapter belongs to. */
  readonly base: string;
  /** As the user knows the base: path or hub id. */
  readonly baseName: string;
  /** PEFT directory. */
  readonly adapter: string | null;
  readonly tokenizer: Tokenizer;
  readonly generationConfig: Readonly<Record<string, unknown>> | null;
  /** Ids that end an answer. */
  readonly stopTokens: readonly number[];
  readonly engine: Pick<LocalEngineOptions, 'device' | 'threads'>;
  /** What was chosen, for the user. */
  readonly description: string;
}

/** The model at a path or hub id: a checkpoint, a GGUF file, or an adapter, whose base its own config names. */
export async function findModel(name: string, console: Console): Promise<TrainedModel> {
  const path = await resolveModel(name, console);
  const adapter = await hasFile(path, adapterFile);
  const baseName = adapter ? await baseOfAdapter(path) : name;
  return describe({
    baseName,
    base: adapter ? await resolveModel(baseName, console) : path,
    adapter: adapter ? path : null,
    saved: path,
    engine: { device: 'cpu', threads: availableParallelism() },
    description: adapter ? `adapter ${path} on ${baseName}` : `model ${path}`,
  });
}

/**
 * The model of a run: what its output_dir holds, else its newest checkpoint, else `lora_model_dir` or the base model
 * untrained.
 */
export async function findModelOfRun(config: RunConfig, console: Console): Promise<TrainedModel> {
  const trained = await newestOutput(config);
  const { engine } = config;
  if (trained !== null) {
    const adapter = await hasFile(trained.path, adapterFile);
    const baseName = adapter ? (config.base_model ?? (await baseOfAdapter(trained.path))) : trained.path;
    return describe({
      baseName,
      base: await resolveModel(baseName, console),
      adapter: adapter ? trained.path : null,
      saved: trained.path,
      engine,
      description: `${trained.what} ${trained.path}${adapter ? ` on ${baseName}` : ''}`,
    });
  }
  if (config.base_model === null) {
    throw new UserError(
      `${config.output_dir} holds no model yet, and there is no base_model. Train first: anneal train.`,
    );
  }
  const base = await resolveModel(config.base_model, console);
  const adapter = config.lora_model_dir;
  return describe({
    baseName: config.base_model,
    base,
    adapter,
    saved: base,
    engine,
    config,
    description: `${adapter === null ? 'untrained model' : `adapter ${adapter} on`} ${config.base_model} (${config.output_dir} holds no model yet)`,
  });
}

interface Found {
  readonly baseName: string;
  readonly base: string;
  readonly adapter: string | null;
  /** Where the tokenizer, the template and what ends an answer were saved. */
  readonly saved: string;
  readonly engine: Pick<LocalEngineOptions, 'device' | 'threads'>;
  readonly description: string;
  /** Of a run that has saved nothing: its template and tokens. */
  readonly config?: RunConfig;
}

async function describe(found: Found): Promise<TrainedModel> {
  const { baseName, base, adapter, saved, engine, description, config } = found;
  const own = saved === base || (await hasFile(saved, 'tokenizer.json'));
  const stored = await readTokenizer(own ? saved : base);
  const tokenizer = config === undefined ? stored : configuredTokenizer(stored, config);
  const generationConfig = (await readGenerationConfig(saved)) ?? (await readGenerationConfig(base));
  const listed = [generationConfig?.eos_token_id ?? []].flat().filter((id): id is number => typeof id === 'number');
  const stopTokens = [...new Set([...answerEnds(tokenizer, config?.eot_tokens ?? null), ...listed])];
  return Object.freeze({ baseName, base, adapter, tokenizer, generationConfig, stopTokens, engine, description });
}

/** The engine that answers with such a model; an adapter is merged into the weights in memory. */
export async function samplingEngineOptions(model: TrainedModel): Promise<LocalEngineOptions> {
  const { vocabSize } = await readModelConfig(model.base);
  return {
    model: { path: model.base },
    train: 'none',
    adapter: model.adapter === null ? null : { path: model.adapter },
    ...model.engine,
    gradientCheckpointing: false,
    seed: 0,
    vocabulary: vocabularyBytes(model.tokenizer, vocabSize),
    baseModel: model.baseName,
    files: {},
    sampleSlots,
  };
}

const adapterFile = 'adapter_config.json';

async function newestOutput(config: RunConfig): Promise<{ readonly path: string; readonly what: string } | null> {
  const { output_dir } = config;
  for (const name of [adapterFile, 'config.json']) {
    if (await hasFile(output_dir, name)) {
      return { path: output_dir, what: name === adapterFile ? 'adapter' : 'model' };
    }
  }
  const checkpoint = (await listCheckpoints(output_dir)).at(-1);
  return checkpoint === undefined ? null : { path: checkpoint.path, what: 'the newest checkpoint' };
}

async function baseOfAdapter(directory: string): Promise<string> {
  const path = join(directory, adapterFile);
  const { base_model_name_or_path: name } = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') {
    throw new UserError(
      `${path} names no base model (base_model_name_or_path). Give a config with base_model and lora_model_dir.`,
    );
  }
  return name;
}

async function hasFile(directory: string, name: string): Promise<boolean> {
  return (await stat(join(directory, name)).catch(() => null))?.isFile() ?? false;
}
