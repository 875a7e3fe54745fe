import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeTextAtomically } from '../../files/index.js';
import { someNames } from '../../text/index.js';
import { type Adapter, isTarget, type LoraModule, loraScale } from '../adapter.js';
import type { ModelConfig, Weight } from '../config.js';
import { type JsonFields, type JsonObject, jsonFields, readJsonObject } from '../json-fields.js';
import { didYouMean } from '../nearest.js';
import { type LinearModule, linearModules } from '../parameters.js';
import { openSafetensors, type SafetensorsFile } from './read-safetensors.js';
import { writeSafetensors } from './write-safetensors.js';

const configFile = 'adapter_config.json';
const weightsFile = 'adapter_model.safetensors';
const prefix = 'base_model.model.';

export interface AdapterOrigin {
  /** Path or hub id of the model that the adapter was trained on. */
  readonly baseModel: string;
  readonly revision?: string;
}

/** Writes an adapter as PEFT does, into a directory that exists. Each of its two files is replaced atomically. */
export async function saveAdapter(directory: string, adapter: Adapter, origin: AdapterOrigin): Promise<void> {
  const { config, modules } = adapter;
  const tensors = new Map<string, Weight>();
  for (const [path, { a, b }] of modules) {
    tensors.set(`${prefix}${path}.lora_A.weight`, a);
    tensors.set(`${prefix}${path}.lora_B.weight`, b);
  }
  const odd = [...modules].filter(([, module]) => module.r !== config.r || module.alpha !== config.alpha);
  const json = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: origin.baseModel,
    revision: origin.revision ?? null,
    r: config.r,
    lora_alpha: config.alpha,
    lora_dropout: config.dropout,
    bias: 'none',
    target_modules: config.targetModules,
    target_parameters: null,
    modules_to_save: null,
    rank_pattern: Object.fromEntries(odd.map(([path, module]) => [path, module.r])),
    alpha_pattern: Object.fromEntries(odd.map(([path, module]) => [path, module.alpha])),
    use_rslora: config.useRslora,
    use_dora: false,
    fan_in_fan_out: false,
    layers_to_transform: null,
    layers_pattern: null,
    init_lora_weights: true,
    inference_mode: true,
  };
  await writeSafetensors(join(directory, weightsFile), tensors);
  await writeTextAtomically(join(directory, configFile), `${JSON.stringify(json, null, 2)}\n`);
}

/**
 * Reads a LoRA adapter that PEFT or `saveAdapter` wrote. Throws, naming file and key, for what is not supported (DoRA,
 * modules_to_save, trained biases, another kind of adapter, an initialisation that changed the base weights), for a target
 * that the model lacks, and for missing, unknown or ill-shaped tensors.
 */
export async function loadAdapter(directory: string, model: ModelConfig): Promise<Adapter> {
  const configPath = join(directory, configFile);
  if ((await stat(configPath).catch(() => null)) === null) {
    throw new Error(`${configPath} does not exist. Give the directory that holds ${configFile} and ${weightsFile}.`);
  }
  const json = await readJsonObject(configPath);
  const fields = jsonFields(json, configPath);
  refuseUnsupported(json, fields, configPath);
  const targets = targetsOf(json, fields, configPath, linearModules(model));
  const r = fields.count('r');
  const alpha = fields.number('lora_alpha');
  const useRslora = fields.boolean('use_rslora', false);
  const rankPattern = patternsOf(fields, 'rank_pattern', configPath);
  const alphaPattern = patternsOf(fields, 'alpha_pattern', configPath);

  const file = await openSafetensors(join(directory, weightsFile));
  try {
    checkNames(file, targets);
    const modules = new Map<string, LoraModule>();
    for (const module of targets) {
      const moduleR = patternValue(rankPattern, module.path) ?? r;
      const moduleAlpha = patternValue(alphaPattern, module.path) ?? alpha;
      modules.set(module.path, {
        a: await readShaped(file, `${prefix}${module.path}.lora_A.weight`, [moduleR, module.in]),
        b: await readShaped(file, `${prefix}${module.path}.lora_B.weight`, [module.out, moduleR]),
        r: moduleR,
        alpha: moduleAlpha,
        scale: loraScale(moduleR, moduleAlpha, useRslora),
      });
    }
    const config = {
      r,
      alpha,
      dropout: fields.number('lora_dropout', 0),
      targetModules: targetNames(targets, linearModules(model)),
      useRslora,
    };
    return Object.freeze({ config: Object.freeze(config), modules });
  } finally {
    await file.close();
  }
}

/** Suffixes where they describe the targets in every layer, else whole paths. */
function targetNames(targets: readonly LinearModule[], all: readonly LinearModule[]): readonly string[] {
  const suffixes = [...new Set(targets.map((module) => module.suffix))];
  const described = all.filter((module) => suffixes.includes(module.suffix));
  return described.length === targets.length ? suffixes : targets.map((module) => module.path);
}

function refuseUnsupported(json: JsonObject, fields: JsonFields, where: string): void {
  const refuse = (key: string, supported: string) => {
    throw new Error(`${where}: ${key} is ${JSON.stringify(json[key])}; supported: ${supported}.`);
  };
  if (json.peft_type !== 'LORA') refuse('peft_type', '"LORA"');
  if (fields.string('task_type', 'CAUSAL_LM') !== 'CAUSAL_LM') refuse('task_type', '"CAUSAL_LM"');
  if (fields.string('bias', 'none') !== 'none') refuse('bias', '"none"');
  for (const key of ['use_dora', 'use_qalora', 'fan_in_fan_out', 'lora_bias']) {
    if (fields.boolean(key, false)) refuse(key, 'false');
  }
  const unused = [
    'modules_to_save',
    'target_parameters',
    'trainable_token_indices',
    'layer_replication',
    'alora_invocation_tokens',
    'exclude_modules',
    'use_bdlora',
    'arrow_config',
    'kasa_config',
    'velora_config',
    'monteclora_config',
  ];
  for (const key of unused) if (!isEmpty(json[key])) refuse(key, 'null');
  // These initialisations (PiSSA, OLoRA, LoftQ, CorDA, …) subtract the first B·A from the base weights.
  const harmless = [undefined, null, true, false, 'gaussian', 'eva', 'orthogonal'];
  if (!harmless.includes(json.init_lora_weights as string)) {
    refuse('init_lora_weights', 'true, false, "gaussian", "eva", "orthogonal"');
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);
}

/** The modules that `target_modules` (a list, a regular expression or "all-linear") and `layers_to_transform` mean. */
function targetsOf(
  json: JsonObject,
  fields: JsonFields,
  where: string,
  modules: readonly LinearModule[],
): readonly LinearModule[] {
  const targets = json.target_modules;
  const layers = layersOf(json.layers_to_transform, where);
  const inLayers = (module: LinearModule) => layers === null || layers.includes(module.layer);
  let matches: (module: LinearModule) => boolean;
  if (targets === 'all-linear') {
    matches = () => true;
  } else if (typeof targets === 'string') {
    const pattern = pythonPattern(`(?:${targets})`, `${where}, target_modules`);
    matches = (module) => pattern.test(module.path);
  } else {
    const names = fields.strings('target_modules');
    for (const name of names) {
      if (modules.some((module) => isTarget(module.path, name))) continue;
      const known = [...new Set(modules.map((module) => module.suffix))];
      throw new Error(
        `${where}: target_modules names ${name}, which is no linear layer of this model; supported: ${known.join(', ')}.${didYouMean(name, known)}`,
      );
    }
    matches = (module) => names.some((name) => isTarget(module.path, name));
  }
  const found = modules.filter((module) => inLayers(module) && matches(module));
  if (found.length === 0) {
    throw new Error(`${where}: target_modules ${JSON.stringify(targets)} means no linear layer of this model.`);
  }
  return found;
}

function layersOf(value: unknown, where: string): readonly number[] | null {
  if (value === undefined || value === null) return null;
  const layers = Array.isArray(value) ? value : [value];
  if (layers.every((layer) => Number.isInteger(layer))) return layers;
  throw new Error(`${where}: layers_to_transform must be a layer number or a list of them.`);
}

type Patterns = readonly (readonly [pattern: RegExp, value: number])[];

/** `rank_pattern` and `alpha_pattern`: the key is a regular expression for the path, or for its end after a dot. */
function patternsOf(fields: JsonFields, key: string, where: string): Patterns {
  const at = `${where}, ${key}`;
  const object = fields.object(key) ?? {};
  const values = jsonFields(object, at);
  return Object.keys(object).map((text) => [pythonPattern(`(?:.*\\.)?(?:${text})`, at), values.number(text)]);
}

function patternValue(patterns: Patterns, path: string): number | undefined {
  return patterns.find(([pattern]) => pattern.test(path))?.[1];
}

/** A Python regular expression that must match a whole path. */
function pythonPattern(source: string, where: string): RegExp {
  try {
    return new RegExp(`^${source.replaceAll('(?P<', '(?<')}$`);
  } catch (cause) {
    throw new Error(`${where}: the regular expression ${source} is not understood: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

function checkNames(file: SafetensorsFile, targets: readonly LinearModule[]): void {
  const wanted = new Set(
    targets.flatMap(({ path }) => [`${prefix}${path}.lora_A.weight`, `${prefix}${path}.lora_B.weight`]),
  );
  const missing = [...wanted].filter((name) => !file.tensors.has(name));
  if (missing.length > 0)
    throw new Error(`${file.path} lacks tensors that ${configFile} means: ${someNames(missing)}.`);
  const extra = [...file.tensors.keys()].filter((name) => !wanted.has(name));
  if (extra.length > 0) {
    throw new Error(`${file.path} has tensors that ${configFile} does not mean for this model: ${someNames(extra)}.`);
  }
}

async function readShaped(file: SafetensorsFile, name: string, shape: readonly number[]): Promise<Weight> {
  const stored = file.tensors.get(name)!.shape;
  if (stored.join() !== shape.join()) {
    throw new Error(
      `${file.path}: tensor ${name} has shape [${stored}], but the model and ${configFile} mean [${shape}].`,
    );
  }
  return file.readFloat(name);
}
