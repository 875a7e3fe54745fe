import { RowError, snippet } from '../errors.js';
import { isRecord } from '../fields.js';

/** `[start, end)` in UTF-16 code units of a text. */
export type CharRange = readonly [start: number, end: number];

export interface JoinedText {
  readonly text: string | null;
  /** The characters to train, in order and apart; null when nothing says. */
  readonly ranges: readonly CharRange[] | null;
}

/**
 * A content that is a text, null, or a list of parts `{text | content | value, train | weight}`. Parts are joined; when one of
 * them carries a flag, the flags say what is trained and parts without one are not.
 */
export function joinedParts(value: unknown, where: string): JoinedText {
  if (value === undefined || value === null) return { text: null, ranges: null };
  if (typeof value === 'string') return { text: value, ranges: null };
  if (!Array.isArray(value))
    throw new RowError('a content is neither a text nor a list of parts', `${where}: ${snippet(value)}`);
  let text = '';
  let flagged = false;
  const ranges: CharRange[] = [];
  for (const part of value as unknown[]) {
    const piece = partText(part, where);
    const flag = partFlag(part, where);
    if (flag !== null) flagged = true;
    if (flag) ranges.push([text.length, text.length + piece.length]);
    text += piece;
  }
  return { text, ranges: flagged ? merged(ranges) : null };
}

function partText(part: unknown, where: string): string {
  if (typeof part === 'string') return part;
  const text = isRecord(part) ? (part.text ?? part.content ?? part.value) : undefined;
  if (typeof text !== 'string') throw new RowError('a part of a content has no text', `${where}: ${snippet(part)}`);
  return text;
}

function partFlag(part: unknown, where: string): boolean | null {
  if (!isRecord(part)) return null;
  const flag = part.train ?? part.weight;
  if (flag === undefined || flag === null) return null;
  if (flag !== true && flag !== false && flag !== 0 && flag !== 1) {
    throw new RowError('the `train` or `weight` of a part is not true, false, 1 or 0', `${where}: ${snippet(flag)}`);
  }
  return Boolean(flag);
}

/** The list of `message_field_training_detail`: inclusive offsets in Unicode characters, as Python counts them. */
export function rangesOfDetail(value: unknown, content: string, message: number): readonly CharRange[] | null {
  const where = `message ${message}`;
  if (!Array.isArray(value)) throw new RowError('a training detail is not a list', `${where}: ${snippet(value)}`);
  if (value.length === 0) return null;
  const positions = codePointPositions(content);
  const ranges: CharRange[] = [];
  let previousEnd = -1;
  for (const item of value as unknown[]) {
    const { begin_offset: begin, end_offset: end, train } = isRecord(item) ? item : {};
    if (!Number.isInteger(begin) || !Number.isInteger(end) || typeof train !== 'boolean') {
      throw new RowError('a training detail is not {begin_offset, end_offset, train}', `${where}: ${snippet(item)}`);
    }
    const [first, last] = [begin as number, end as number];
    if (first <= previousEnd || last < first || last >= positions.length - 1) {
      throw new RowError(
        'training details do not lie in order inside the content',
        `${where}: ${snippet(item)} in a content of ${positions.length - 1} characters`,
      );
    }
    previousEnd = last;
    if (train) ranges.push([positions[first] as number, positions[last + 1] as number]);
  }
  return merged(ranges);
}

/** UTF-16 position of each Unicode character, and the length of the text behind the last. */
function codePointPositions(text: string): number[] {
  const positions: number[] = [];
  let at = 0;
  for (const char of text) {
    positions.push(at);
    at += char.length;
  }
  positions.push(at);
  return positions;
}

function merged(ranges: readonly CharRange[]): CharRange[] {
  const result: CharRange[] = [];
  for (const [start, end] of ranges) {
    const last = result.at(-1);
    if (last && last[1] === start) result[result.length - 1] = [last[0], end];
    else if (end > start) result.push([start, end]);
  }
  return result;
}
