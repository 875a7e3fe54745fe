import { type DatasetConfig, type PromptDataset, UserError } from '../config/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import { formatOrigin, RowError } from './errors.js';
import type { RowOrigin } from './example.js';
import {
  createConversationPromptFormat,
  createPromptFormat,
  type PromptFormat,
  type RowPrompt,
} from './formats/prompt.js';
import type { Row } from './jsonl.js';
import { createNoteLog } from './notes.js';
import type { DataConfig } from './options.js';
import { createDropLog, type DropGroup, formatDropped } from './report.js';
import { forEachRow, type ReadOptions } from './rows.js';
import { splitRows } from './split.js';
import { datasetTokenizer } from './template.js';

export interface Prompt extends RowPrompt {
  readonly origin: RowOrigin;
}

export interface PromptReport {
  readonly rows: number;
  readonly trainPrompts: number;
  readonly evalPrompts: number;
  readonly dropped: readonly DropGroup[];
  /** In tokens, of the prompts used. */
  readonly longestPrompt: number;
  readonly warnings: readonly string[];
}

export interface PreparedPrompts {
  readonly train: readonly Prompt[];
  readonly eval: readonly Prompt[];
  readonly report: PromptReport;
}

export interface PromptOptions extends ReadOptions {
  /** Longest prompt in tokens: what `sequence_len` leaves beside the completion. */
  readonly maxPromptTokens: number;
}

/**
 * Reads the prompts of `datasets` and `test_datasets` and splits off the evaluation prompts as `prepareDataset` does. A prompt
 * that is too long is dropped and counted (a truncated question would be another question), or an error with
 * `excess_length_strategy: raise`.
 *
 * @throws UserError for a file that cannot be read, an option that cannot work, or when no row is left to train on.
 */
export async function readPrompts(
  config: DataConfig,
  tokenizer: Tokenizer,
  options: PromptOptions,
): Promise<PreparedPrompts> {
  const reader = createPromptReader(config, options.maxPromptTokens);

  async function read(datasets: readonly DatasetConfig[]): Promise<Prompt[]> {
    const formats = datasets.map((dataset) => promptFormat(dataset, config, datasetTokenizer(tokenizer, dataset)));
    const prompts: Prompt[] = [];
    await forEachRow(
      datasets.map((dataset) => dataset.path),
      (row, origin) => prompts.push(...reader.read(formats[origin.dataset] as PromptFormat, row, origin)),
      options,
    );
    return prompts;
  }

  const all = await read(config.datasets);
  const split = splitRows(all, config.val_set_size, config.seed, config.shuffle_merged_datasets, reader.dropped());
  const held = config.test_datasets ? await read(config.test_datasets) : split.eval;
  return reader.finish(split.train, held);
}

/** A row at hand rather than in a file, in the form of `type: prompt`. */
export interface PromptRow {
  readonly row: Row;
  /** `file` names where it comes from, for messages. */
  readonly origin: RowOrigin;
}

/**
 * As `readPrompts`, from rows at hand: the same templates, limits and counts.
 * @throws UserError when no row is left to train on.
 */
export function promptsFrom(
  rows: { readonly train: readonly PromptRow[]; readonly eval: readonly PromptRow[] },
  dataset: PromptDataset,
  config: DataConfig,
  tokenizer: Tokenizer,
  options: Pick<PromptOptions, 'maxPromptTokens'>,
): PreparedPrompts {
  const reader = createPromptReader(config, options.maxPromptTokens);
  const format = promptFormat(dataset, config, datasetTokenizer(tokenizer, dataset));
  const read = (list: readonly PromptRow[]) => list.flatMap(({ row, origin }) => reader.read(format, row, origin));
  const train = splitRows(read(rows.train), 0, config.seed, false, reader.dropped()).train;
  return reader.finish(train, read(rows.eval));
}

/** Makes prompts of rows, and counts those that cannot be used. */
function createPromptReader(config: DataConfig, maxPromptTokens: number) {
  const dropLog = createDropLog();
  const notes = createNoteLog();
  let rows = 0;
  return {
    /** The row's prompt; none when it is dropped. */
    read(format: PromptFormat, row: Row, origin: RowOrigin): Prompt[] {
      rows++;
      try {
        const prompt = format(row, notes.at(origin));
        checkLength(prompt.promptIds.length, maxPromptTokens, config.excess_length_strategy, origin);
        return [Object.freeze({ ...prompt, origin })];
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        dropLog.add(origin, error);
        return [];
      }
    },
    dropped: dropLog.groups,
    finish(train: readonly Prompt[], held: readonly Prompt[]): PreparedPrompts {
      const report: PromptReport = {
        rows,
        trainPrompts: train.length,
        evalPrompts: held.length,
        dropped: dropLog.groups(),
        longestPrompt: [...train, ...held].reduce((most, prompt) => Math.max(most, prompt.promptIds.length), 0),
        warnings: notes.lines(),
      };
      return Object.freeze({ train, eval: held, report: Object.freeze(report) });
    },
  };
}

/** The report for a terminal, without colours. */
export function formatPromptReport(report: PromptReport): string {
  const dropped = report.dropped.reduce((sum, group) => sum + group.count, 0);
  const used = report.trainPrompts + report.evalPrompts;
  return [
    `data: ${report.rows} rows, ${used} prompts (train ${report.trainPrompts}, eval ${report.evalPrompts}), ` +
      `longest ${report.longestPrompt} tokens`,
    ...(dropped > 0 ? [`  dropped: ${dropped}`, ...formatDropped(report.dropped)] : []),
    ...report.warnings.map((warning) => `  warning: ${warning}`),
  ].join('\n');
}

function promptFormat(dataset: DatasetConfig, config: DataConfig, tokenizer: Tokenizer): PromptFormat {
  switch (dataset.type) {
    case 'prompt':
      return createPromptFormat(dataset, tokenizer, config.chat_template_kwargs);
    case 'chat_template':
      return createConversationPromptFormat(dataset, tokenizer, config.chat_template_kwargs);
    default:
      throw new UserError(
        `${dataset.path}: prompts come from \`type: prompt\` or \`type: chat_template\`, not from \`type: ${dataset.type}\`.`,
      );
  }
}

function checkLength(
  length: number,
  limit: number,
  strategy: DataConfig['excess_length_strategy'],
  origin: RowOrigin,
): void {
  if (length <= limit) return;
  if (strategy === 'raise') {
    throw new UserError(
      `${formatOrigin(origin)} has a prompt of ${length} tokens, and ${limit} fit (sequence_len less the completion). Raise ` +
        'sequence_len, or set excess_length_strategy: drop.',
    );
  }
  throw new RowError(`prompt longer than ${limit} tokens (sequence_len less the completion)`, `${length} tokens`);
}
