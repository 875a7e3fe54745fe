import { RowError, snippet } from './errors.js';
import type { Row } from './jsonl.js';

/** The text of a column that has to be there and may not be blank. */
export function requiredText(row: Row, column: string): string {
  const value = presentText(row, column);
  if (value.trim() === '') throw new RowError(`column \`${column}\` is empty`);
  return value;
}

/** The text of a column that may be missing, null or blank. */
export function optionalText(row: Row, column: string): string {
  return row[column] === undefined || row[column] === null ? '' : presentText(row, column);
}

function presentText(row: Row, column: string): string {
  const value = row[column];
  if (value === undefined || value === null) {
    const missing = value === null ? 'is null' : 'is missing';
    throw new RowError(`column \`${column}\` ${missing}`, `the row has ${Object.keys(row).join(', ') || 'no columns'}`);
  }
  if (typeof value !== 'string') throw new RowError(`column \`${column}\` is not a text`, snippet(value));
  return value;
}

/** A value that may be given as JSON text. */
export function decodedJson(value: unknown, what: string): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new RowError(`${what} is a text that is not valid JSON`, `${(error as Error).message}: ${snippet(value)}`);
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
