import { column, integer, list, struct, text, writeRowFile } from '../row-file.js';
import type { VerlRow } from './verl-rows.js';

const texts = (...names: readonly string[]) => names.map((name) => column(name, text));

const columns = [
  column('data_source', text),
  list('prompt', struct('element', texts('role', 'content'))),
  column('ability', text),
  struct('reward_model', texts('style', 'ground_truth')),
  struct('extra_info', [...texts('environment', 'variant', 'language', 'split'), column('index', integer)]),
];

/**
 * Writes rows to a `.jsonl` or `.parquet` file, by its name. The file is there only once it is whole.
 * @throws GymError for another ending
 */
export async function writeRows(rows: readonly VerlRow[], file: string): Promise<void> {
  await writeRowFile(file, columns, rows);
}
