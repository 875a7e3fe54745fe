import { loadEnvironment } from '../environment/index.js';
import type { Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Gym } from '../types.js';
import { lazyGym } from './lazy-gym.js';
import { keyOf, type Question, questionOf, runOptions } from './question.js';

/** A row that verl, TRL, Axolotl, OpenRLHF and anneal train on. All rows have the same keys and types, as Parquet wants it. */
export interface VerlRow {
  /** The environment's name. */
  readonly data_source: string;
  readonly prompt: readonly { readonly role: string; readonly content: string }[];
  readonly ability: string;
  /** `ground_truth` is empty: the environment knows what is right. */
  readonly reward_model: { readonly style: 'rule'; readonly ground_truth: string };
  readonly extra_info: {
    readonly environment: string;
    readonly variant: string;
    /** Empty where answers have none. */
    readonly language: string;
    readonly split: string;
    readonly index: number;
  };
}

export interface VerlRowsOptions {
  /** Default: each environment's default variant. */
  readonly variant?: string;
  /** Default: each environment's first language. */
  readonly language?: string;
  /** What `extra_info.split` says. Default `train`. */
  readonly split?: string;
  /** Rows for each environment. Default 1. */
  readonly repeat?: number;
  /** Makes the prompts. Default: a gym of its own in the local sandbox. */
  readonly gym?: Gym;
}

/**
 * Rows to train on the environments: all of them once, then all again. The rows of an environment have the same prompt, except for
 * documents, whose generator makes another one for each row (variants `train@42`, `train@43`, …).
 * @throws GymError for unknown names, variants and languages
 */
export async function verlRows(
  environments: readonly (Environment | string)[],
  options: VerlRowsOptions = {},
): Promise<VerlRow[]> {
  const { split = 'train', repeat = 1 } = options;
  if (!Number.isInteger(repeat) || repeat < 1)
    throw new GymError(`repeat is ${repeat}; wanted is a whole number from 1 on.`);
  if (!Array.isArray(environments)) throw new GymError('verlRows takes a list of environments or of their names.');
  const questions = await Promise.all(
    environments.map(async (one) => questionOf(typeof one === 'string' ? await loadEnvironment(one) : one, options)),
  );
  const opened = lazyGym(options.gym === undefined ? { sandbox: 'local' } : { gym: options.gym });
  try {
    const gym = await opened.get();
    const rows: VerlRow[] = [];
    const tasks = new Map<string, Promise<string>>();
    for (let round = 0; round < repeat; round++) {
      for (const question of questions) {
        const { environment, language } = question;
        const variant = variantOf(question, round);
        const asked = { ...question, variant };
        const key = keyOf(asked);
        const task = tasks.get(key) ?? gym.task(environment, runOptions(asked));
        tasks.set(key, task);
        rows.push({
          data_source: environment.name,
          prompt: [{ role: 'user', content: await task }],
          ability: environment.domain,
          reward_model: { style: 'rule', ground_truth: '' },
          extra_info: { environment: environment.name, variant, language: language ?? '', split, index: rows.length },
        });
      }
    }
    return rows;
  } finally {
    await opened.dispose();
  }
}

function variantOf({ environment, variant }: Question, round: number): string {
  if (environment.kind !== 'document' || round === 0) return variant;
  const [name, seed] = variant.split('@') as [string, string | undefined];
  const first = seed === undefined ? environment.variants[name]?.seed : Number(seed);
  // An unknown variant is told of where the task is made.
  return first === undefined ? variant : `${name}@${first + round}`;
}
