/**
 * Template strings that remember where their characters came from. A plain string has no origin; a tracked one lists
 * the runs of it that are copied from a named source. Operations that copy characters keep the runs, so that after one
 * evaluation it is known exactly which message each character of the output was taken from.
 */
export type Text = string | TrackedText;

/** Units `[start, end)` are those of source number `source` from `from` on. Runs are in order and do not overlap. */
export interface Run {
  readonly start: number;
  readonly end: number;
  readonly source: number;
  readonly from: number;
}

export class TrackedText {
  constructor(
    readonly text: string,
    readonly runs: readonly Run[],
  ) {}
}

export const trackedText = (text: string, source: number): TrackedText =>
  new TrackedText(text, [{ start: 0, end: text.length, source, from: 0 }]);

export const isText = (value: unknown): value is Text => typeof value === 'string' || value instanceof TrackedText;

export const rawText = (text: Text): string => (typeof text === 'string' ? text : text.text);

/** Units `[start, end)`. An empty piece keeps its origin, so that empty contents have a place too. */
export function sliceText(text: Text, start: number, end: number = rawText(text).length): Text {
  if (typeof text === 'string') return text.slice(start, end);
  const { runs } = text;
  const out: Run[] = [];
  for (let i = firstRunEndingFrom(runs, start); i < runs.length && runs[i]!.start <= end; i++) {
    const run = runs[i]!;
    const from = Math.max(run.start, start);
    const to = Math.min(run.end, end);
    if (from > to) continue;
    out.push({ start: from - start, end: to - start, source: run.source, from: run.from + from - run.start });
  }
  return new TrackedText(text.text.slice(start, end), out);
}

function firstRunEndingFrom(runs: readonly Run[], at: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.end < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function joinText(parts: readonly Text[], separator: Text = ''): Text {
  const between =
    rawText(separator) === '' ? parts : parts.flatMap((part, i) => (i === 0 ? [part] : [separator, part]));
  if (between.every((part) => typeof part === 'string')) return between.join('');
  const texts: string[] = [];
  const runs: Run[] = [];
  let length = 0;
  for (const part of between) {
    const raw = rawText(part);
    if (typeof part !== 'string') {
      for (const run of part.runs) runs.push({ ...run, start: run.start + length, end: run.end + length });
    }
    texts.push(raw);
    length += raw.length;
  }
  return new TrackedText(texts.join(''), runs);
}

/** A changed string (upper case, escaped, …) keeps its origin only where nothing changed. */
export const changeText = (text: Text, change: (raw: string) => string): Text => {
  const raw = rawText(text);
  const changed = change(raw);
  return changed === raw ? text : changed;
};

export function splitText(text: Text, separator: string, limit = Number.POSITIVE_INFINITY): Text[] {
  const raw = rawText(text);
  const parts: Text[] = [];
  let start = 0;
  for (let at = raw.indexOf(separator); at >= 0 && parts.length < limit; at = raw.indexOf(separator, start)) {
    parts.push(sliceText(text, start, at));
    start = at + separator.length;
  }
  parts.push(sliceText(text, start));
  return parts;
}

export function replaceText(text: Text, old: string, replacement: Text, limit = Number.POSITIVE_INFINITY): Text {
  if (old !== '') return joinText(splitText(text, old, limit), replacement);
  const chars = Array.from(rawText(text));
  let at = 0;
  const parts: Text[] = [];
  for (let i = 0; i <= chars.length; i++) {
    if (i < limit) parts.push(replacement);
    const end = at + (chars[i]?.length ?? 0);
    parts.push(sliceText(text, at, end));
    at = end;
  }
  return joinText(parts);
}

const WHITE_SPACE = /\p{White_Space}/u;

/** What Python's str.isspace() takes as space: Unicode White_Space and the four information separators. */
export const isSpace = (char: string): boolean =>
  WHITE_SPACE.test(char) || (char >= '\u001c' && char <= '\u001f' && char.length === 1);

/** Without the characters of `chars` (default: white space) at its ends. */
export function stripText(text: Text, chars: string | null, left: boolean, right: boolean): Text {
  const raw = rawText(text);
  const set = chars === null ? null : new Set(Array.from(chars));
  const drops = (char: string): boolean => (set ? set.has(char) : isSpace(char));
  let start = 0;
  let end = raw.length;
  while (left && start < end) {
    const char = String.fromCodePoint(raw.codePointAt(start)!);
    if (!drops(char)) break;
    start += char.length;
  }
  while (right && end > start) {
    const low = raw.charCodeAt(end - 1);
    const size = low >= 0xdc00 && low < 0xe000 && end - 2 >= start ? 2 : 1;
    if (!drops(raw.slice(end - size, end))) break;
    end -= size;
  }
  return start === 0 && end === raw.length ? text : sliceText(text, start, end);
}

const SURROGATE = /[\ud800-\udfff]/;

/** Length in characters, as Python counts. */
export function textLength(text: Text): number {
  const raw = rawText(text);
  if (!SURROGATE.test(raw)) return raw.length;
  let count = 0;
  for (const _ of raw) count++;
  return count;
}

/** Characters `[start, stop)` by Python's slice rules. */
export function sliceCharacters(text: Text, start: number | null, stop: number | null, step: number): Text {
  const raw = rawText(text);
  const units = SURROGATE.test(raw) ? characterStarts(raw) : null;
  const unit = (index: number): number => (units ? units[index]! : index);
  const indices = sliceIndices(units ? units.length - 1 : raw.length, start, stop, step);
  if (step === 1) {
    const first = indices[0];
    return first === undefined ? sliceText(text, 0, 0) : sliceText(text, unit(first), unit(indices.at(-1)! + 1));
  }
  return joinText(indices.map((index) => sliceText(text, unit(index), unit(index + 1))));
}

function characterStarts(raw: string): number[] {
  const starts = [0];
  for (const char of raw) starts.push(starts.at(-1)! + char.length);
  return starts;
}

export function sliceIndices(length: number, start: number | null, stop: number | null, step: number): number[] {
  const clamp = (index: number, low: number, high: number): number =>
    Math.min(Math.max(index < 0 ? index + length : index, low), high);
  const indices: number[] = [];
  if (step > 0) {
    const end = stop === null ? length : clamp(stop, 0, length);
    for (let i = start === null ? 0 : clamp(start, 0, length); i < end; i += step) indices.push(i);
  } else {
    const end = stop === null ? -1 : clamp(stop, -1, length - 1);
    for (let i = start === null ? length - 1 : clamp(start, -1, length - 1); i > end; i += step) indices.push(i);
  }
  return indices;
}
