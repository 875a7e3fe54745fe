import { completionTokens, type Rollout, type RolloutGroup, type Trajectory, type Verdict } from '../rollout/index.js';
import { groupAdvantages, type RewardScale } from './advantages.js';
import type { RewardColumns, RewardFailure, RewardScorer } from './rewards/index.js';

export interface ScoredGroups {
  /** As the rollout groups, each rollout with verdict, rewards and advantage. */
  readonly groups: readonly (readonly Trajectory[])[];
  readonly failures: readonly RewardFailure[];
}

/** Judges all rollouts in one call of the scorer and gives them their advantages. Aborted rollouts get no verdict. */
export async function scoreGroups(
  scorer: RewardScorer,
  groups: readonly RolloutGroup[],
  options: { readonly scale?: RewardScale; readonly signal?: AbortSignal } = {},
): Promise<ScoredGroups> {
  const judged = groups.flatMap((group) =>
    group.rollouts
      .filter((rollout) => rollout.finishReason !== 'aborted')
      .map((rollout) => ({ rollout, row: group.prompt.columns })),
  );
  const { verdicts, byReward, failures } = await scorer.score(
    {
      prompts: judged.map(({ rollout }) => rollout.prompt),
      completions: judged.map(({ rollout }) => rollout.text),
      completionIds: judged.map(({ rollout }) => completionTokens(rollout)),
      columns: toColumns(judged.map(({ row }) => row)),
    },
    options.signal && { signal: options.signal },
  );
  const indexOf = new Map(judged.map(({ rollout }, index) => [rollout, index]));
  const verdictOf = (rollout: Rollout): Verdict => {
    const index = indexOf.get(rollout);
    return index === undefined ? { kind: 'noVerdict', cause: 'sampling was aborted' } : verdicts[index]!;
  };
  const { advantages } = groupAdvantages(
    groups.map((group) =>
      group.rollouts.map((rollout) => {
        const verdict = verdictOf(rollout);
        return verdict.kind === 'scored' ? verdict.reward : null;
      }),
    ),
    options.scale,
  );
  const trajectories = groups.map((group, at) =>
    group.rollouts.map((rollout, member): Trajectory => {
      const index = indexOf.get(rollout);
      return {
        ...rollout,
        verdict: verdictOf(rollout),
        rewards: Object.fromEntries(
          scorer.rewards.map(({ name }) => [name, index === undefined ? null : byReward[name]![index]!]),
        ),
        advantage: advantages[at]![member]!,
      };
    }),
  );
  return { groups: trajectories, failures };
}

/** Rows to columns; a column that some row lacks holds null there. */
function toColumns(rows: readonly Readonly<Record<string, unknown>>[]): RewardColumns {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return Object.fromEntries([...names].map((name) => [name, rows.map((row) => row[name] ?? null)]));
}
