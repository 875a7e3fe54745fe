import { mean, standardDeviation } from './stats.js';

/** What rewards are divided by: the deviation inside their group, that of the whole batch, or nothing. */
export type RewardScale = 'group' | 'batch' | 'none';

export interface GroupAdvantages {
  /** One row a group; null where there was no verdict. */
  readonly advantages: readonly (readonly (number | null)[])[];
  /** Groups whose rewards are all equal (one member counts): they teach nothing, their advantages are 0. */
  readonly zeroStdGroups: number;
  /** Groups without a single verdict. */
  readonly emptyGroups: number;
}

const EPSILON = 1e-4;
/** Deviations up to here are rounding noise of equal rewards. */
const ZERO_STD = 1e-8;

export function isZeroStd(std: number): boolean {
  return std <= ZERO_STD;
}

/**
 * Group-relative advantages (r − mean of the group) / (std + 1e-4) (Shao et al. 2024, arXiv 2402.03300, §4.1.2; without
 * the division, Liu et al. 2025, arXiv 2503.20783). Deviations are unbiased, as TRL's. A missing reward (null) leaves
 * its group: mean and deviation are those of the remaining members.
 */
export function groupAdvantages(
  groups: readonly (readonly (number | null)[])[],
  scale: RewardScale = 'group',
): GroupAdvantages {
  const present = groups.map((group) => group.filter((reward) => reward !== null));
  const batchStd = scale === 'batch' ? standardDeviation(present.flat()) : 0;
  let zeroStdGroups = 0;
  let emptyGroups = 0;
  const advantages = groups.map((group, index) => {
    const rewards = present[index]!;
    if (rewards.length === 0) {
      emptyGroups += 1;
      return group.map(() => null);
    }
    const groupStd = standardDeviation(rewards);
    if (isZeroStd(groupStd)) {
      zeroStdGroups += 1;
      return group.map((reward) => (reward === null ? null : 0));
    }
    const centre = mean(rewards);
    const divisor = scale === 'none' ? 1 : (scale === 'batch' ? batchStd : groupStd) + EPSILON;
    return group.map((reward) => (reward === null ? null : (reward - centre) / divisor));
  });
  return { advantages, zeroStdGroups, emptyGroups };
}
