import { lastNumber, parseNumber } from './numbers.js';

const MARKED_LINE = /^[ \t]*####[ \t]*(.*?)[ \t]*$/gm;

/**
 * The number on the last line of the form `#### n`; null where there is no such line or something else stands on it.
 * Thousands separators, a currency or percent sign and a closing full stop are ignored.
 */
export function strictAnswer(text: string): string | null {
  const marked = lastMarked(text);
  return marked === null ? null : parseNumber(marked);
}

/** The last number anywhere in the text. */
export function flexibleAnswer(text: string): string | null {
  return lastNumber(text);
}

/**
 * The ground truth in a dataset column: a whole GSM8K solution (its `#### n` line) or the bare number.
 * null when it holds neither, so that a faulty row gives no verdict instead of punishing every answer.
 */
export function groundTruth(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'bigint') return parseNumber(String(value));
  if (typeof value !== 'string') return null;
  return parseNumber(lastMarked(value) ?? value);
}

function lastMarked(text: string): string | null {
  let last: string | null = null;
  for (const match of text.matchAll(MARKED_LINE)) last = match[1]!;
  return last;
}
