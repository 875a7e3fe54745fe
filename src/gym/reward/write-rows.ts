import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { GymError } from '../gym-error.js';
import type { VerlRow } from './verl-rows.js';

// The writer's own: it may come with another version of hyparquet.
type SchemaElement = NonNullable<Parameters<typeof parquetWriteBuffer>[0]['schema']>[number];

const text = (name: string): SchemaElement => ({
  name,
  repetition_type: 'REQUIRED',
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
});

const group = (name: string, children: readonly SchemaElement[]): SchemaElement[] => [
  { name, repetition_type: 'REQUIRED', num_children: children.length },
  ...children,
];

/** Nested as `datasets` and pandas read it: a list of structs, and structs. */
const schema: SchemaElement[] = [
  { name: 'root', num_children: 5 },
  text('data_source'),
  { name: 'prompt', repetition_type: 'REQUIRED', converted_type: 'LIST', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ...group('element', [text('role'), text('content')]),
  text('ability'),
  ...group('reward_model', [text('style'), text('ground_truth')]),
  ...group('extra_info', [
    ...['environment', 'variant', 'language', 'split'].map(text),
    { name: 'index', repetition_type: 'REQUIRED', type: 'INT32' },
  ]),
];

const columns = ['data_source', 'prompt', 'ability', 'reward_model', 'extra_info'] as const;

/**
 * Writes rows to a `.jsonl` or `.parquet` file, by its name. The file is there only once it is whole.
 * @throws GymError for another ending
 */
export async function writeRows(rows: readonly VerlRow[], file: string): Promise<void> {
  const content = contentOf(rows, file);
  await mkdir(dirname(file), { recursive: true });
  const partial = `${file}.partial`;
  try {
    await writeFile(partial, content);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function contentOf(rows: readonly VerlRow[], file: string): string | Uint8Array {
  if (file.endsWith('.jsonl')) return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  if (file.endsWith('.parquet')) {
    const columnData = columns.map((name) => ({ name, data: rows.map((row) => row[name]) }));
    return new Uint8Array(parquetWriteBuffer({ columnData, schema, createdBy: 'anneal' }));
  }
  throw new GymError(`${file}: rows are written to files whose name ends in .jsonl or .parquet.`);
}
