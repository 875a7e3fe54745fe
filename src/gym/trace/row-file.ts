import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileWriter, parquetWriteRows } from 'hyparquet-writer';
import { GymError } from '../gym-error.js';

// The writer's own: it may come with another version of hyparquet.
type SchemaElement = NonNullable<Parameters<typeof parquetWriteRows>[0]['schema']>[number];

export const rowKinds = ['rl', 'sft', 'prm'] as const;
export type RowKind = (typeof rowKinds)[number];

const text: Partial<SchemaElement> = { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
const json: Partial<SchemaElement> = { type: 'BYTE_ARRAY', converted_type: 'JSON' };

function column(name: string, type: Partial<SchemaElement>, nullable = false): SchemaElement[] {
  return [{ name, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED', ...type } as SchemaElement];
}

/** The three levels that Parquet's LIST has. */
function list(name: string, element: readonly SchemaElement[]): SchemaElement[] {
  return [
    { name, repetition_type: 'REQUIRED', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    ...element,
  ];
}

const messages = list('messages', [
  { name: 'element', repetition_type: 'REQUIRED', num_children: 2 },
  ...column('role', text),
  ...column('content', text),
]);

/** Nested columns are what `datasets` makes lists and dicts of. Actions and verdicts have no fixed shape, so they are JSON. */
const columns: Readonly<Record<RowKind, readonly SchemaElement[][]>> = {
  sft: [messages],
  prm: [
    column('prompt', text),
    list('completions', column('element', text)),
    list('labels', column('element', { type: 'BOOLEAN' })),
  ],
  rl: [
    ...['id', 'kind', 'environment', 'variant', 'language'].map((name) => column(name, text)),
    column('model', text, true),
    column('seed', { type: 'DOUBLE' }, true),
    messages,
    column('actions', json),
    list('step_rewards', column('element', { type: 'DOUBLE' })),
    column('reward', { type: 'DOUBLE' }),
    column('score', { type: 'DOUBLE' }),
    column('passed', { type: 'BOOLEAN' }),
    column('verdict', json),
  ],
};

const endings = ['.jsonl', '.parquet'];

/** @throws GymError when the file's name ends in neither .jsonl nor .parquet */
export function checkRowFile(file: string): void {
  if (!endings.some((ending) => file.endsWith(ending))) {
    throw new GymError(`${file}: rows are written to files whose name ends in ${endings.join(' or ')}.`);
  }
}

/** Writes rows as they come; the file is there only once it is whole. */
export async function writeRows(kind: RowKind, file: string, rows: AsyncIterable<object>): Promise<void> {
  checkRowFile(file);
  await mkdir(dirname(file), { recursive: true });
  const partial = `${file}.partial`;
  try {
    if (file.endsWith('.parquet')) await writeParquet(kind, partial, rows);
    else await pipeline(lines(rows), createWriteStream(partial));
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function* lines(rows: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}

async function writeParquet(kind: RowKind, file: string, rows: AsyncIterable<object>): Promise<void> {
  const tops = columns[kind].map((elements) => elements[0]!);
  const schema: SchemaElement[] = [{ name: 'root', num_children: tops.length }, ...columns[kind].flat()];
  await parquetWriteRows({
    writer: fileWriter(file),
    rows: rows as AsyncIterable<Record<string, unknown>>,
    columns: tops.map(({ name }) => ({ name })),
    schema,
    rowGroupSize: 1000,
    createdBy: 'anneal',
  });
}
