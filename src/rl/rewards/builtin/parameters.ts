import { suggest } from '../../nearest-name.js';
import { RewardError } from '../reward-error.js';

export type Parameters = Readonly<Record<string, unknown>>;

interface ParameterTypes {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}
type Shape = Readonly<Record<string, keyof ParameterTypes>>;
type Read<S extends Shape> = { readonly [K in keyof S]?: ParameterTypes[S[K]] };

/** Checks the parameters that a config gives a built-in reward. Throws naming the reward, the key and what it takes. */
export function readParameters<const S extends Shape>(reward: string, parameters: Parameters, shape: S): Read<S> {
  for (const [key, value] of Object.entries(parameters)) {
    const type = shape[key];
    if (type === undefined) {
      throw new RewardError(`Reward ${reward} has no parameter "${key}". ${suggest(key, Object.keys(shape))}`);
    }
    if (typeof value !== type || Number.isNaN(value)) {
      throw new RewardError(`Reward ${reward}: ${key} must be a ${type}, not ${JSON.stringify(value)}.`);
    }
  }
  return parameters as Read<S>;
}
