import type { Prompt } from '../../rollout/index.js';
import { suggest } from '../nearest-name.js';
import { type CallOptions, type Checked, callReward, checkReturned, describeFailure } from './call.js';
import type { Reward, RewardBatch, RewardColumns } from './reward.js';
import { RewardError } from './reward-error.js';

/** A row of the training data, to try the rewards on. */
export interface SampleRow {
  readonly prompt: Prompt;
  readonly columns: Readonly<Record<string, unknown>>;
}

export interface RewardCheck {
  readonly name: string;
  /** What it gave for each of `SAMPLE_COMPLETIONS`. */
  readonly values: readonly (number | null)[];
  /** Columns it looked for that the dataset does not have; harmless only if it means to do without them. */
  readonly missingColumns: readonly string[];
}

/** A model may stop at once, so a reward must bear the empty answer. */
export const SAMPLE_COMPLETIONS: readonly string[] = ['', 'The answer is 42.\n#### 42'];

/**
 * Calls every reward once, before training, on the sample row with two made-up answers. Throws on the first reward that
 * throws or returns something unusable, with the failing call and, where it read a column that is not there, its name.
 */
export async function checkRewards(
  rewards: readonly Reward[],
  row: SampleRow,
  options: CallOptions = {},
): Promise<RewardCheck[]> {
  const count = SAMPLE_COMPLETIONS.length;
  const columns = Object.fromEntries(
    Object.entries(row.columns).map(([name, value]) => [name, Array.from({ length: count }, () => value)]),
  );
  const batch: RewardBatch = {
    prompts: Array.from({ length: count }, () => row.prompt),
    completions: SAMPLE_COMPLETIONS,
    columns,
    completionIds: SAMPLE_COMPLETIONS.map((text) => Int32Array.from(text, (_, index) => index)),
  };
  const checks: RewardCheck[] = [];
  for (const reward of rewards) {
    const missing = new Set<string>();
    const fail = (failure: unknown): never => {
      const hints = [...missing].map(
        (name) => `\n  It read the column "${name}", which the dataset lacks. ${suggest(name, Object.keys(columns))}`,
      );
      throw new RewardError(describeFailure(reward, batch, failure) + hints.join(''), { cause: failure });
    };
    const watched = { ...batch, columns: watchColumns(columns, missing) };
    let values: readonly Checked[];
    try {
      values = checkReturned(await callReward(reward, watched, options), count);
    } catch (error) {
      options.signal?.throwIfAborted();
      return fail(error);
    }
    checks.push({
      name: reward.name,
      values: values.map((value) =>
        value !== null && typeof value === 'object' ? fail(new RewardError(value.problem)) : value,
      ),
      missingColumns: [...missing],
    });
  }
  return checks;
}

function watchColumns(columns: RewardColumns, missing: Set<string>): RewardColumns {
  return new Proxy(columns, {
    get(target, key) {
      if (typeof key === 'string' && !Object.hasOwn(target, key)) missing.add(key);
      return Reflect.get(target, key);
    },
  });
}
