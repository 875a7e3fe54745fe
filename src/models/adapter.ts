import { someNames } from '../text/index.js';
import type { ModelConfig, Weight, Weights } from './config.js';
import { didYouMean } from './nearest.js';
import { type LinearModule, linearModules } from './parameters.js';
import { fillUniform } from './random-init.js';

/** LoRA (Hu et al. 2021): a linear layer gives W·x + s·B·(A·x), with s = alpha / r, or alpha / √r for rsLoRA. */
export interface AdapterConfig {
  readonly r: number;
  readonly alpha: number;
  readonly dropout: number;
  /** Last parts of the module paths that are adapted in every layer: `q_proj`, `down_proj`. */
  readonly targetModules: readonly string[];
  /** Scale by alpha / √r (Kalajdzievski 2023). */
  readonly useRslora: boolean;
}

export interface LoraModule {
  /** [r, in] */
  readonly a: Weight;
  /** [out, r] */
  readonly b: Weight;
  readonly r: number;
  readonly alpha: number;
  readonly scale: number;
}

export interface Adapter {
  readonly config: AdapterConfig;
  /** By module path: `model.layers.0.self_attn.q_proj`. */
  readonly modules: ReadonlyMap<string, LoraModule>;
}

export function loraScale(r: number, alpha: number, useRslora: boolean): number {
  return alpha / (useRslora ? Math.sqrt(r) : r);
}

/**
 * The modules that a list of targets means: names of linear layers, or `all-linear` for all but the output head.
 * A name that matches nothing is an error with the nearest valid one.
 */
export function targetedModules(
  config: ModelConfig,
  targets: readonly string[] | 'all-linear',
): readonly LinearModule[] {
  const modules = linearModules(config);
  if (targets === 'all-linear') return modules;
  for (const target of targets) {
    if (modules.some((module) => isTarget(module.path, target))) continue;
    const names = [...new Set(modules.map((module) => module.suffix))];
    throw new Error(
      `LoRA target ${target} is no linear layer of this model; there are ${names.join(', ')}.${didYouMean(target, names)}`,
    );
  }
  return modules.filter((module) => targets.some((target) => isTarget(module.path, target)));
}

/** PEFT's rule for a list: the whole path, or its end after a dot. */
export function isTarget(path: string, target: string): boolean {
  return path === target || path.endsWith(`.${target}`);
}

/**
 * A fresh adapter, which changes nothing yet: A Kaiming-uniform with a = √5 as PEFT has it, thus uniform(±1/√in), B zero.
 * The values of a module depend on the seed and on its path.
 */
export function randomAdapter(model: ModelConfig, config: AdapterConfig, seed: number): Adapter {
  const { r, alpha } = config;
  const modules = new Map<string, LoraModule>();
  for (const module of targetedModules(model, config.targetModules)) {
    const a = new Float32Array(r * module.in);
    fillUniform(a, 1 / Math.sqrt(module.in), seed, `${module.path}.lora_A.weight`);
    modules.set(module.path, {
      a: { shape: [r, module.in], data: a },
      b: { shape: [module.out, r], data: new Float32Array(module.out * r) },
      r,
      alpha,
      scale: loraScale(r, alpha, config.useRslora),
    });
  }
  return Object.freeze({ config, modules });
}

/** New weights W + s·B·A for each adapted module, summed in float64; other weights are shared, not copied. */
export function mergeAdapter(weights: Weights, adapter: Adapter): Weights {
  const missing = [...adapter.modules.keys()].filter((path) => !weights.has(`${path}.weight`));
  if (missing.length > 0) throw new Error(`The adapter has modules that the model lacks: ${someNames(missing)}.`);
  const merged = new Map(weights);
  for (const [path, module] of adapter.modules) {
    const name = `${path}.weight`;
    merged.set(name, mergedWeight(name, weights.get(name)!, module));
  }
  return merged;
}

function mergedWeight(name: string, weight: Weight, { a, b, r, scale }: LoraModule): Weight {
  const [outputs, inputs] = weight.shape as [number, number];
  if (b.shape[0] !== outputs || a.shape[1] !== inputs) {
    throw new Error(
      `${name} has shape [${weight.shape}], which an adapter with B [${b.shape}] and A [${a.shape}] does not fit.`,
    );
  }
  const data = new Float32Array(weight.data.length);
  const row = new Float64Array(inputs);
  for (let output = 0; output < outputs; output++) {
    row.set(weight.data.subarray(output * inputs, (output + 1) * inputs));
    for (let k = 0; k < r; k++) {
      const factor = scale * b.data[output * r + k]!;
      if (factor === 0) continue;
      const offset = k * inputs;
      for (let i = 0; i < inputs; i++) row[i]! += factor * a.data[offset + i]!;
    }
    data.set(row, output * inputs);
  }
  return { shape: weight.shape, data };
}
