import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileWriter, parquetWriteRows } from 'hyparquet-writer';
import { GymError } from './gym-error.js';

// The writer's own: it may come with another version of hyparquet.
type SchemaElement = NonNullable<Parameters<typeof parquetWriteRows>[0]['schema']>[number];
type ColumnType = Partial<SchemaElement>;

/** A column of a Parquet file: itself, then what it is made of. */
export type Column = readonly SchemaElement[];

export const text: ColumnType = { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
export const json: ColumnType = { type: 'BYTE_ARRAY', converted_type: 'JSON' };
export const integer: ColumnType = { type: 'INT32' };
export const double: ColumnType = { type: 'DOUBLE' };
export const boolean: ColumnType = { type: 'BOOLEAN' };

export function column(name: string, type: ColumnType, nullable = false): Column {
  return [{ name, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED', ...type } as SchemaElement];
}

/** What `datasets` and pandas read as a dict. */
export function struct(name: string, columns: readonly Column[]): Column {
  return [{ name, repetition_type: 'REQUIRED', num_children: columns.length }, ...columns.flat()];
}

/** What they read as a list, in the three levels that Parquet's LIST has. `element` is the column of that name. */
export function list(name: string, element: Column): Column {
  return [
    { name, repetition_type: 'REQUIRED', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...element,
  ];
}

const endings = ['.jsonl', '.parquet'];

/** @throws GymError when the file's name ends in neither .jsonl nor .parquet */
export function checkRowFile(file: string): void {
  if (!endings.some((ending) => file.endsWith(ending))) {
    throw new GymError(`${file}: rows are written to files whose name ends in ${endings.join(' or ')}.`);
  }
}

/** Writes rows as they come, in the format that the file's name says; the file is there only once it is whole. @throws GymError */
export async function writeRowFile(
  file: string,
  columns: readonly Column[],
  rows: AsyncIterable<object> | Iterable<object>,
): Promise<void> {
  checkRowFile(file);
  await mkdir(dirname(file), { recursive: true });
  const partial = `${file}.partial`;
  try {
    if (file.endsWith('.parquet')) await writeParquet(partial, columns, rows);
    else await pipeline(lines(rows), createWriteStream(partial));
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function* lines(rows: AsyncIterable<object> | Iterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

async function writeParquet(
  file: string,
  columns: readonly Column[],
  rows: AsyncIterable<object> | Iterable<object>,
): Promise<void> {
  await parquetWriteRows({
    writer: fileWriter(file),
    rows: rows as AsyncIterable<Record<string, unknown>>,
    columns: columns.map(([top]) => ({ name: top!.name })),
    schema: [{ name: 'root', num_children: columns.length }, ...columns.flat()],
    rowGroupSize: 1000,
    createdBy: 'anneal',
  });
}
