import { UserError } from '../config/index.js';
import { createRandom, shuffled } from '../random/index.js';
import { type DropGroup, formatDropped } from './report.js';

export interface Split<T> {
  readonly train: readonly T[];
  readonly eval: readonly T[];
}

/**
 * Shuffles rows with `seed` (unless told not to) and sets the tail aside for evaluation: `valSetSize` below 1 is a share,
 * rounded up; from 1 on it is a number of rows. Every row lands on exactly one side.
 *
 * @param dropped rows that could not be used, for the message of an error
 * @throws UserError when nothing would be left to train on.
 */
export function splitRows<T>(
  rows: readonly T[],
  valSetSize: number,
  seed: number,
  shuffle: boolean,
  dropped: readonly DropGroup[],
): Split<T> {
  if (rows.length === 0) {
    throw new UserError(['No row of `datasets` can be used.', ...formatDropped(dropped)].join('\n'));
  }
  const ordered = shuffle ? shuffled(rows, createRandom(seed, 0x5b117)) : rows;
  // 0.1 of 30 rows is 3.0000000000000004 in floating point on some sizes.
  const evalCount = valSetSize < 1 ? Math.ceil(valSetSize * rows.length - 1e-9) : valSetSize;
  if (evalCount > 0 && evalCount >= rows.length) {
    const unusable = dropped.length === 0 ? '' : ['\nNot usable:', ...formatDropped(dropped)].join('\n');
    throw new UserError(
      `val_set_size ${valSetSize} sets ${evalCount} rows aside for evaluation, and there are only ${rows.length} usable rows: ` +
        `none would be left to train on. Make it smaller, add data, or name evaluation files in test_datasets.${unusable}`,
    );
  }
  return { train: ordered.slice(0, ordered.length - evalCount), eval: ordered.slice(ordered.length - evalCount) };
}
