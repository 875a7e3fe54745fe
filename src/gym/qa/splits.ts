import { createHash } from 'node:crypto';
import { GymError } from '../gym-error.js';

export const splits = ['canary', 'private_holdout', 'public_eval', 'public_train'] as const;
export type Split = (typeof splits)[number];

export interface SplitOptions {
  /** Default 0. */
  readonly seed?: number;
  /** Default 0.2. */
  readonly publicEvalRatio?: number;
  /** Default 0.1. */
  readonly holdoutRatio?: number;
  /** Default 0.05. */
  readonly canaryRatio?: number;
  /** By name. */
  readonly overrides?: Readonly<Record<string, Split>>;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * Divides environments by the sha256 of `seed:name`, so that a split stays when others come and go as far as shares allow. A ratio above
 * 0 gives at least one. Overrides are set first and count.
 * @throws GymError for ratios out of range, and for overrides of what is not there
 */
export function assignSplits(names: readonly string[], options: SplitOptions = {}): ReadonlyMap<string, Split> {
  const { seed = 0, publicEvalRatio = 0.2, holdoutRatio = 0.1, canaryRatio = 0.05, overrides = {} } = options;
  const ratios: readonly (readonly [Split, number])[] = [
    ['canary', canaryRatio],
    ['private_holdout', holdoutRatio],
    ['public_eval', publicEvalRatio],
  ];
  for (const [split, ratio] of ratios) {
    if (!(ratio >= 0 && ratio <= 1))
      throw new GymError(`The ratio of ${split} must lie between 0 and 1; it is ${ratio}.`);
  }
  const sum = ratios.reduce((total, [, ratio]) => total + ratio, 0);
  if (sum > 1)
    throw new GymError(`The ratios of canary, holdout and public eval sum up to ${sum}, which is more than 1.`);
  for (const name of Object.keys(overrides)) {
    if (!names.includes(name)) throw new GymError(`--split ${name}: no such environment is audited.`);
  }
  const assigned = new Map<string, Split>(Object.entries(overrides));
  const left = names
    .filter((name) => !assigned.has(name))
    .map((name) => ({ name, hash: sha256(`${seed}:${name}`) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ name }) => name);
  for (const [split, ratio] of ratios) {
    const wanted = ratio === 0 ? 0 : Math.max(1, Math.floor(names.length * ratio));
    const have = [...assigned.values()].filter((one) => one === split).length;
    for (const name of left.splice(0, Math.max(0, wanted - have))) assigned.set(name, split);
  }
  for (const name of left) assigned.set(name, 'public_train');
  return new Map(names.map((name) => [name, assigned.get(name)!]));
}
