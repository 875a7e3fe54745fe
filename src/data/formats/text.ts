import type { AlpacaDataset, CompletionDataset } from '../../config/index.js';
import type { Tokenizer } from '../../tokenizer/index.js';
import { RowError, snippet } from '../errors.js';
import { isRecord, optionalText, requiredText } from '../fields.js';
import type { Row } from '../jsonl.js';
import { joinPieces, type Labelled } from '../labelled.js';

const withInput =
  'Below is an instruction that describes a task, paired with an input that provides further context. ' +
  'Write a response that appropriately completes the request.';
const withoutInput =
  'Below is an instruction that describes a task. Write a response that appropriately completes the request.';

/** The prompt of Stanford Alpaca (Taori et al. 2023). */
export function alpacaPrompt(instruction: string, input: string): string {
  return input === ''
    ? `${withoutInput}\n\n### Instruction:\n${instruction}\n\n### Response:\n`
    : `${withInput}\n\n### Instruction:\n${instruction}\n\n### Input:\n${input}\n\n### Response:\n`;
}

export function labelAlpaca(row: Row, dataset: AlpacaDataset, tokenizer: Tokenizer, trainOnInputs: boolean): Labelled {
  const instruction = requiredText(row, dataset.field_instruction);
  const input = optionalText(row, dataset.field_input);
  const output = requiredText(row, dataset.field_output);
  return joinPieces([
    { role: 'prompt', ids: encodeStart(tokenizer, alpacaPrompt(instruction, input)), train: trainOnInputs },
    { role: 'response', ids: withEos(tokenizer, tokenizer.encode(output)), train: true },
  ]);
}

/** A text with the end-of-sequence token, cut into pieces of at most `sequenceLen` tokens. Every token is trained. */
export function labelCompletion(
  row: Row,
  dataset: CompletionDataset,
  tokenizer: Tokenizer,
  sequenceLen: number,
): Labelled[] {
  const ids = withEos(tokenizer, encodeStart(tokenizer, requiredText(row, dataset.field)));
  const pieces: Labelled[] = [];
  for (let start = 0; start < ids.length; start += sequenceLen) {
    pieces.push(joinPieces([{ role: 'text', ids: ids.slice(start, start + sequenceLen), train: true }]));
  }
  return pieces;
}

/** Column `segments` of `{label, text}`, joined verbatim: each tokenised for itself and no special tokens added. */
export function labelSegments(row: Row, tokenizer: Tokenizer, trainOnInputs: boolean): Labelled {
  const segments = row.segments;
  if (!Array.isArray(segments)) {
    throw new RowError('column `segments` is not a list', segments === undefined ? 'it is missing' : snippet(segments));
  }
  return joinPieces(
    segments.map((segment: unknown, index) => {
      if (!isRecord(segment) || typeof segment.text !== 'string' || typeof segment.label !== 'boolean') {
        throw new RowError('a segment is not {label: true or false, text}', `segment ${index}: ${snippet(segment)}`);
      }
      const train = segment.label || trainOnInputs;
      return { role: train ? 'trained segments' : 'other segments', ids: tokenizer.encode(segment.text), train };
    }),
  );
}

/** The beginning of a sequence: with the bos that the tokenizer adds, without an eos that it may add behind. */
export function encodeStart(tokenizer: Tokenizer, text: string): number[] {
  const ids = tokenizer.encode(text, { addSpecialTokens: true });
  if (tokenizer.eos && ids.at(-1) === tokenizer.eos.id && !text.endsWith(tokenizer.eos.text)) ids.pop();
  return ids;
}

function withEos(tokenizer: Tokenizer, ids: readonly number[]): readonly number[] {
  return tokenizer.eos && ids.at(-1) !== tokenizer.eos.id ? [...ids, tokenizer.eos.id] : ids;
}
