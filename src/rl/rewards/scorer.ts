import type { Verdict } from '../../rollout/index.js';
import { type CallOptions, type Checked, callReward, checkReturned, describeFailure } from './call.js';
import type { Reward, RewardBatch } from './reward.js';
import { RewardError } from './reward-error.js';
import type { Watchdog } from './watchdog.js';

export interface RewardFailure {
  readonly reward: string;
  /** Completions left without a verdict by it. */
  readonly completions: number;
  /** The first error, with the call that failed. */
  readonly message: string;
}

export interface RewardScores {
  /** One per completion: the weighted sum over the rewards that gave a number, or why there is none. */
  readonly verdicts: readonly Verdict[];
  /** What each reward gave, by name; null where it gave nothing or failed. */
  readonly byReward: Readonly<Record<string, readonly (number | null)[]>>;
  readonly failures: readonly RewardFailure[];
}

export interface RewardScorer {
  readonly rewards: readonly Reward[];
  score(batch: RewardBatch, options?: { readonly signal?: AbortSignal }): Promise<RewardScores>;
}

export interface RewardScorerOptions {
  /** Names calls that block the thread beyond their reward's limit. */
  readonly watchdog?: Watchdog;
  /** So many calls of one reward in a row without a single usable value stop the run. Default 3. */
  readonly maxConsecutiveFailures?: number;
}

/**
 * Scores batches with all rewards at once. A reward that fails costs the completions it failed on their verdict, not
 * the run: when a call throws, it is repeated for each completion alone, so that one bad completion costs only itself
 * (one that ran out of time is not repeated). The scorer throws when a reward has failed altogether several times in a row.
 */
export function createRewardScorer(rewards: readonly Reward[], options: RewardScorerOptions = {}): RewardScorer {
  const { watchdog, maxConsecutiveFailures = 3 } = options;
  const failuresInARow = new Map<string, number>();

  return Object.freeze({
    rewards,
    async score(batch: RewardBatch, { signal }: { readonly signal?: AbortSignal } = {}): Promise<RewardScores> {
      const count = batch.completions.length;
      if (count === 0) return { verdicts: [], byReward: {}, failures: [] };
      const call = { ...(watchdog && { watchdog }), ...(signal && { signal }) };
      const outcomes = await Promise.all(rewards.map((reward) => runReward(reward, batch, call)));

      const failures: RewardFailure[] = [];
      for (const [index, { values, message }] of outcomes.entries()) {
        const reward = rewards[index]!;
        const failed = values.filter(isProblem).length;
        if (failed > 0) failures.push({ reward: reward.name, completions: failed, message: message! });
        const inARow = failed === count ? (failuresInARow.get(reward.name) ?? 0) + 1 : 0;
        failuresInARow.set(reward.name, inARow);
        if (inARow >= maxConsecutiveFailures) {
          throw new RewardError(`Reward ${reward.name} gave nothing usable in ${inARow} calls in a row.\n${message}`);
        }
      }
      return {
        verdicts: Array.from({ length: count }, (_, at) =>
          verdictOf(
            rewards,
            outcomes.map(({ values }) => values[at]!),
          ),
        ),
        byReward: Object.fromEntries(
          rewards.map(({ name }, index) => [
            name,
            outcomes[index]!.values.map((value) => (isProblem(value) ? null : value)),
          ]),
        ),
        failures,
      };
    },
  });
}

interface Outcome {
  readonly values: readonly Checked[];
  readonly message: string | null;
}

async function runReward(reward: Reward, batch: RewardBatch, call: CallOptions): Promise<Outcome> {
  const count = batch.completions.length;
  try {
    const values = checkReturned(await callReward(reward, batch, call), count);
    const first = values.find(isProblem);
    return { values, message: first ? describeFailure(reward, batch, new RewardError(first.problem)) : null };
  } catch (error) {
    call.signal?.throwIfAborted();
    // A RewardError (out of time, unusable array, missing column) would come back for every completion.
    if (count === 1 || error instanceof RewardError) {
      const problem = { problem: error instanceof Error ? error.message : String(error) };
      return { values: Array.from({ length: count }, () => problem), message: describeFailure(reward, batch, error) };
    }
    const singles = await Promise.all(
      Array.from({ length: count }, (_, at) => runReward(reward, single(batch, at), call)),
    );
    return {
      values: singles.flatMap(({ values }) => values),
      message: singles.find(({ message }) => message !== null)?.message ?? null,
    };
  }
}

function single(batch: RewardBatch, at: number): RewardBatch {
  return {
    prompts: [batch.prompts[at]!],
    completions: [batch.completions[at]!],
    completionIds: [batch.completionIds[at]!],
    columns: Object.fromEntries(Object.entries(batch.columns).map(([name, values]) => [name, [values[at]]])),
  };
}

function verdictOf(rewards: readonly Reward[], values: readonly Checked[]): Verdict {
  let sum: number | null = null;
  for (const [index, value] of values.entries()) {
    const { name, weight } = rewards[index]!;
    // A partial sum would rank this completion unfairly within its group.
    if (isProblem(value)) return { kind: 'noVerdict', cause: `reward ${name} failed: ${value.problem}` };
    if (value !== null) sum = (sum ?? 0) + weight * value;
  }
  return sum === null ? { kind: 'noVerdict', cause: 'every reward returned null' } : { kind: 'scored', reward: sum };
}

function isProblem(value: Checked): value is { readonly problem: string } {
  return value !== null && typeof value === 'object';
}
