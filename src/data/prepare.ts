import { type DatasetConfig, UserError } from '../config/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import { RowError } from './errors.js';
import type { Example, RowOrigin } from './example.js';
import { createChatFormat } from './formats/chat.js';
import { labelAlpaca, labelCompletion, labelSegments } from './formats/text.js';
import type { Row } from './jsonl.js';
import type { Labelled } from './labelled.js';
import { fitLength } from './length.js';
import { createNoteLog, type NoteLog, type Notes } from './notes.js';
import type { DataConfig } from './options.js';
import { createReportBuilder, type DataReport, type ReportBuilder } from './report.js';
import { forEachRow, type ReadOptions, type RowProgress } from './rows.js';
import { splitRows } from './split.js';
import { datasetTokenizer } from './template.js';

export interface PrepareProgress extends RowProgress {
  /** Tokens of the examples so far. */
  readonly tokens: number;
}

export interface PrepareOptions {
  readonly progress?: (progress: PrepareProgress) => void;
  readonly signal?: AbortSignal;
}

export interface PreparedDataset {
  readonly train: readonly Example[];
  readonly eval: readonly Example[];
  readonly report: DataReport;
}

/**
 * Reads, tokenises and labels `datasets` (and `test_datasets`), and splits off the evaluation rows. Rows that cannot be used
 * are dropped, counted and named in the report.
 *
 * @throws UserError for a file that cannot be read, an option that cannot work, or when no row is left to train on.
 */
export async function prepareDataset(
  config: DataConfig,
  tokenizer: Tokenizer,
  options: PrepareOptions = {},
): Promise<PreparedDataset> {
  const report = createReportBuilder(config.sequence_len);
  const notes = createNoteLog();
  if (tokenizer.eos === null)
    throw new UserError('The tokenizer has no end-of-sequence token; set special_tokens.eos_token.');
  const merged = await readExamples(config.datasets, config, tokenizer, report, notes, options);
  const split = splitRows(
    merged,
    config.val_set_size,
    config.seed,
    config.shuffle_merged_datasets,
    report.droppedGroups(),
  );
  const held = config.test_datasets
    ? await readExamples(config.test_datasets, config, tokenizer, report, notes, options)
    : split.eval;
  const [train, evaluation] = [split.train.flat(), held.flat()];
  return Object.freeze({
    train,
    eval: evaluation,
    report: report.finish({ train: train.length, eval: evaluation.length }, notes.lines()),
  });
}

/** The examples of each usable row: several where a text was cut into pieces. */
async function readExamples(
  datasets: readonly DatasetConfig[],
  config: DataConfig,
  tokenizer: Tokenizer,
  report: ReportBuilder,
  notes: NoteLog,
  options: PrepareOptions,
): Promise<Example[][]> {
  const formats = datasets.map((dataset) => rowFormat(dataset, config, datasetTokenizer(tokenizer, dataset)));
  const result: Example[][] = [];
  let tokens = 0;
  const visit = (row: Row, origin: RowOrigin): void => {
    const examples: Example[] = [];
    for (const labelled of formatted(formats[origin.dataset] as RowFormat, row, origin, report, notes)) {
      const example = fitted(labelled, config, origin, report);
      if (example === null) continue;
      examples.push(example);
      tokens += example.tokens.length;
    }
    report.row(examples.length > 0);
    if (examples.length > 0) result.push(examples);
  };
  const { progress, signal } = options;
  const reading: ReadOptions = {
    ...(signal && { signal }),
    ...(progress && { progress: (state) => progress({ ...state, tokens }) }),
  };
  await forEachRow(
    datasets.map((dataset) => dataset.path),
    visit,
    reading,
  );
  return result;
}

type RowFormat = (row: Row, notes: Notes) => readonly Labelled[];

function rowFormat(dataset: DatasetConfig, config: DataConfig, tokenizer: Tokenizer): RowFormat {
  const trainOnInputs = config.train_on_inputs;
  switch (dataset.type) {
    case 'chat_template': {
      const format = createChatFormat({
        dataset,
        tokenizer,
        trainOnInputs,
        eotTokens: config.eot_tokens,
        templateKwargs: config.chat_template_kwargs,
      });
      return (row, notes) => [format(row, notes)];
    }
    case 'alpaca':
      return (row) => [labelAlpaca(row, dataset, tokenizer, trainOnInputs)];
    case 'completion':
      return (row) => labelCompletion(row, dataset, tokenizer, config.sequence_len);
    case 'input_output':
      return (row) => [labelSegments(row, tokenizer, trainOnInputs)];
    case 'prompt':
      throw new UserError(`${dataset.path}: \`type: prompt\` has no answers to learn from; it serves \`rl: grpo\`.`);
  }
}

function formatted(
  format: RowFormat,
  row: Row,
  origin: RowOrigin,
  report: ReportBuilder,
  notes: NoteLog,
): readonly Labelled[] {
  try {
    return format(row, notes.at(origin));
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    report.drop(origin, error, 0);
    return [];
  }
}

function fitted(labelled: Labelled, config: DataConfig, origin: RowOrigin, report: ReportBuilder): Example | null {
  const length = labelled.tokens.length;
  if (length > config.sequence_len) report.tooLong(origin, length, config.excess_length_strategy === 'truncate');
  try {
    const fitting = fitLength(labelled, config, origin);
    report.use(fitting);
    return Object.freeze({ tokens: Int32Array.from(fitting.tokens), trained: fitting.trained, origin });
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    report.drop(origin, error, length);
    return null;
  }
}
