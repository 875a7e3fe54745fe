import { UserError } from '../config/index.js';
import { formatOrigin, RowError } from './errors.js';
import type { RowOrigin } from './example.js';
import type { Labelled } from './labelled.js';
import type { DataConfig } from './options.js';

/**
 * The sequence as it may be trained: not shorter than `min_sample_len`, not longer than `sequence_len`, with a trained token.
 *
 * @throws RowError when it cannot; UserError when it is too long and `excess_length_strategy` is `raise`.
 */
export function fitLength(labelled: Labelled, config: DataConfig, origin: RowOrigin): Labelled {
  const length = labelled.tokens.length;
  const limit = config.sequence_len;
  if (length < config.min_sample_len)
    throw new RowError(`shorter than min_sample_len ${config.min_sample_len}`, `${length} tokens`);
  const fitting = length > limit ? shortened(labelled, config, origin) : labelled;
  if (!fitting.trained.includes(1)) throw new RowError(...withoutLoss(labelled, limit));
  return fitting;
}

function shortened(labelled: Labelled, config: DataConfig, origin: RowOrigin): Labelled {
  const length = labelled.tokens.length;
  const limit = config.sequence_len;
  if (config.excess_length_strategy === 'raise') {
    throw new UserError(
      `${formatOrigin(origin)} has ${length} tokens, more than sequence_len ${limit}. Raise sequence_len, or set ` +
        'excess_length_strategy to drop or truncate.',
    );
  }
  if (config.excess_length_strategy === 'drop')
    throw new RowError(`longer than sequence_len ${limit}`, `${length} tokens`);
  return { tokens: labelled.tokens.slice(0, limit), trained: labelled.trained.slice(0, limit), parts: labelled.parts };
}

function withoutLoss(labelled: Labelled, limit: number): [reason: string, detail: string] {
  if (labelled.trained.includes(1)) {
    return [`no trained token within sequence_len ${limit}`, `${labelled.tokens.length} tokens before truncation`];
  }
  return [
    'no trained tokens',
    `turns of ${[...new Set(labelled.parts.map((part) => part.role))].join(', ') || 'no role'}`,
  ];
}
