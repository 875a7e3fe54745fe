import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { UserError } from '../config/index.js';
import { snippet } from './errors.js';

export type Row = Readonly<Record<string, unknown>>;

export interface SourceRow {
  readonly row: Row;
  readonly file: string;
  /** Counted from 1. In a JSON array, the line on which the element begins. */
  readonly line: number;
  /** Bytes of the file read so far. */
  readonly bytesRead: number;
}

const readable = ['.jsonl', '.ndjson', '.json'];

/** The data files that a path of the config names: the file itself, or every data file of a folder in order of name. */
export async function findDataFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw missingFile(path);
  if (!found.isDirectory()) return [checkedKind(path)];
  const names = (await readdir(path)).filter((name) => readable.some((end) => name.endsWith(end))).sort();
  if (names.length === 0) throw new UserError(`The folder ${path} holds no ${readable.join(', ')} file.`);
  return names.map((name) => join(path, name));
}

function missingFile(path: string): UserError {
  const place = isAbsolute(path) ? '' : ` Looked for ${resolve(path)}.`;
  return new UserError(`There is no data file ${path}.${place}`);
}

function checkedKind(file: string): string {
  const unsupported = /\.(parquet|arrow|csv|tsv|txt|gz|zst|zip)$/i.exec(file);
  if (unsupported) {
    throw new UserError(
      `${file} is a ${unsupported[0]} file; data is read from ${readable.join(', ')} files. Convert it to JSON Lines.`,
    );
  }
  return file;
}

/**
 * The rows of a JSON Lines file, or of a `.json` file that holds an array, read as a stream. Blank lines are skipped; a byte
 * order mark and CRLF are accepted. A line that is not a JSON object is a {@link UserError} that names file and line.
 */
export async function* readJsonl(file: string): AsyncGenerator<SourceRow> {
  const info = await stat(file).catch(() => null);
  if (info === null) throw missingFile(file);
  if (file.endsWith('.json') && (await startsWithBracket(file))) {
    yield* readJsonArray(file);
    return;
  }
  for await (const { text, line, bytesRead } of readLines(file)) {
    if (text.trim() === '') continue;
    yield { row: parseRow(text, file, line), file, line, bytesRead };
  }
}

function parseRow(text: string, file: string, line: number): Row {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError(`${file}:${line} is not valid JSON (${(error as Error).message}): ${snippet(text)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UserError(
      `${file}:${line} is not a JSON object: ${snippet(text)}. Each line is one row, such as {"text": "…"}.`,
    );
  }
  return value as Row;
}

/**
 * Lines end at \n only. `node:readline` also splits at \r, U+2028 and U+2029, and the last two are legal inside JSON strings.
 */
async function* readLines(file: string): AsyncGenerator<{ text: string; line: number; bytesRead: number }> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let pending = '';
  let line = 0;
  let bytesRead = 0;
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new UserError(`${file} is not UTF-8 text: an invalid byte stands after line ${line + 1}.`);
    }
  };
  for await (const chunk of createReadStream(file)) {
    bytesRead += (chunk as Buffer).length;
    const pieces = decode(chunk as Buffer).split('\n');
    pieces[0] = pending + pieces[0];
    pending = pieces.pop() as string;
    for (const text of pieces) yield { text, line: ++line, bytesRead };
  }
  pending += decode();
  if (pending !== '') yield { text: pending, line: ++line, bytesRead };
}

async function startsWithBracket(file: string): Promise<boolean> {
  for await (const { text } of readLines(file)) {
    if (text.trim() !== '') return text.trimStart().startsWith('[');
  }
  return false;
}

async function* readJsonArray(file: string): AsyncGenerator<SourceRow> {
  const text = new TextDecoder('utf-8').decode(await readFile(file));
  try {
    JSON.parse(text);
  } catch (error) {
    throw new UserError(`${file} is not valid JSON (${(error as Error).message}).`);
  }
  for (const { start, end, line } of arrayElements(text)) {
    yield { row: parseRow(text.slice(start, end), file, line), file, line, bytesRead: end };
  }
}

/** Where the elements of a valid top-level JSON array lie in its text. */
function* arrayElements(text: string): Generator<{ start: number; end: number; line: number }> {
  let depth = 0;
  let line = 1;
  let start = -1;
  let startLine = 1;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '\n') line++;
    if (/\s/.test(char)) continue;
    if (depth === 1 && (char === ',' || char === ']')) {
      if (start >= 0) yield { start, end: at, line: startLine };
      start = -1;
      if (char === ']') return;
      continue;
    }
    if (depth === 1 && start < 0) {
      start = at;
      startLine = line;
    }
    if (char === '"') {
      for (at++; text[at] !== '"'; at++) if (text[at] === '\\') at++;
    } else if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
  }
}
