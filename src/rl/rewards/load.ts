import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createJiti } from 'jiti';
import { suggest } from '../nearest-name.js';
import { builtinRewards } from './builtin/index.js';
import type { Reward, RewardFunction } from './reward.js';
import { RewardError } from './reward-error.js';
import { userStack } from './user-stack.js';

/**
 * An entry of `trl.reward_funcs`: the name of a built-in (`gsm8k`), a function in a file (`./rewards.ts#accuracy`, or
 * `./rewards.ts` for its default export), or a built-in with parameters (`{name: length, max: 200}`).
 */
export type RewardSpec = string | { readonly name: string; readonly [parameter: string]: unknown };

export interface LoadRewardsOptions {
  /** The folder that paths start from: that of the YAML file. */
  readonly baseDir: string;
  /** `trl.reward_weights`, one per reward; default 1 each. */
  readonly weights?: readonly number[];
  /** Of each call of a reward; default no limit. */
  readonly timeoutMs?: number;
}

/**
 * Loads the rewards of a run, in their order. TypeScript and JavaScript files are imported as they are, without a build.
 * Throws on unknown names, files that are missing or fail to import (with the user's own part of the stack), exports
 * that are missing or no function, faulty parameters, and weights that do not match.
 */
export async function loadRewards(specs: readonly RewardSpec[], options: LoadRewardsOptions): Promise<Reward[]> {
  const { baseDir, weights, timeoutMs } = options;
  if (specs.length === 0) throw new RewardError('trl.reward_funcs is empty: name at least one reward, such as gsm8k.');
  if (weights && weights.length !== specs.length) {
    throw new RewardError(
      `trl.reward_weights has ${weights.length} entries for ${specs.length} reward_funcs; give one weight per reward.`,
    );
  }
  const rewards: Reward[] = [];
  const taken = new Map<string, number>();
  for (const [index, spec] of specs.entries()) {
    const { name, source, score } = await loadReward(spec, baseDir);
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    // The second of two equal names gets a number, or their metrics would fall together.
    rewards.push({
      name: count === 1 ? name : `${name}_${count}`,
      source,
      weight: weights?.[index] ?? 1,
      ...(timeoutMs !== undefined && { timeoutMs }),
      score,
    });
  }
  return rewards;
}

interface LoadedReward {
  readonly name: string;
  readonly source: string;
  readonly score: RewardFunction;
}

async function loadReward(spec: RewardSpec, baseDir: string): Promise<LoadedReward> {
  const { name: source, ...parameters } = typeof spec === 'string' ? { name: spec } : spec;
  if (!isFile(source)) return { name: source, source, score: builtin(source, parameters) };
  if (Object.keys(parameters).length > 0) {
    throw new RewardError(
      `Reward ${source}: parameters (${Object.keys(parameters).join(', ')}) are for built-in rewards; a function of your own reads dataset columns or holds its constants itself.`,
    );
  }
  const hash = source.lastIndexOf('#');
  const [file, exported] = hash < 0 ? [source, 'default'] : [source.slice(0, hash), source.slice(hash + 1)];
  const path = resolve(baseDir, file);
  const exports = await importFile(source, path, baseDir);
  const found = exports[exported];
  if (found === undefined) {
    const functions = Object.keys(exports).filter((key) => typeof exports[key] === 'function');
    throw new RewardError(
      exported === 'default'
        ? `Reward ${source}: ${file} has no default export. Name one of its functions behind a #. ${suggest(exported, functions)}`
        : `Reward ${source}: ${file} exports no "${exported}". ${suggest(exported, functions)}`,
    );
  }
  if (typeof found !== 'function') {
    throw new RewardError(
      `Reward ${source}: "${exported}" is no function but ${describe(found)}. A reward is (prompts, completions, columns) => one number or null per completion.`,
    );
  }
  return {
    name: exported === 'default' ? basename(path, extname(path)) : exported,
    source,
    score: found as RewardFunction,
  };
}

function isFile(source: string): boolean {
  return source.includes('#') || /^\.{0,2}[\\/]/.test(source) || /\.[cm]?[jt]s$/.test(source);
}

function builtin(name: string, parameters: Readonly<Record<string, unknown>>): RewardFunction {
  const create = builtinRewards.get(name);
  if (create) return create(parameters);
  const dotted = /^([\w/]+)\.(\w+)$/.exec(name);
  throw new RewardError(
    dotted
      ? `Unknown reward "${name}". Rewards are TypeScript or JavaScript functions: write ./${dotted[1]}.ts#${dotted[2]}.`
      : `Unknown built-in reward "${name}". ${suggest(name, [...builtinRewards.keys()])} A function of your own is written ./rewards.ts#name.`,
  );
}

async function importFile(source: string, path: string, baseDir: string): Promise<Readonly<Record<string, unknown>>> {
  const siblings = await readdir(dirname(path)).catch(() => null);
  if (siblings === null) {
    throw new RewardError(`Reward ${source}: there is no folder ${dirname(path)} (paths start at ${baseDir}).`);
  }
  if (!siblings.includes(basename(path))) {
    const scripts = siblings.filter((file) => /\.[cm]?[jt]s$/.test(file));
    throw new RewardError(
      `Reward ${source}: there is no file ${path} (paths start at ${baseDir}). Scripts there: ${suggest(basename(path), scripts)}`,
    );
  }
  // No caches: an edited file must count at once, and nothing is to be written beside the user's code.
  const jiti = createJiti(pathToFileURL(path).href, { fsCache: false, moduleCache: false });
  let loaded: Record<string, unknown>;
  try {
    loaded = await jiti.import<Record<string, unknown>>(path);
  } catch (error) {
    throw new RewardError(`Reward ${source}: importing ${relative(baseDir, path)} failed.\n${userStack(error)}`, {
      cause: error,
    });
  }
  // module.exports of a CommonJS file arrives as the default export.
  const fallback = loaded.default;
  return typeof fallback === 'object' && fallback !== null ? { ...fallback, ...loaded } : loaded;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
