import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { configSchema, fieldSchema, UserError } from '../config/index.js';

/** `anneal config-schema`: prints the JSON Schema of the config, or of one key. */
export async function run(args: string[], print: (text: string) => void = console.log): Promise<number> {
  const { format, field } = readOptions(args);
  const schema = field === undefined ? configSchema() : fieldSchema(field);
  print(format === 'yaml' ? stringify(schema, { lineWidth: 0 }).trimEnd() : JSON.stringify(schema, null, 2));
  return 0;
}

function readOptions(args: string[]): { format: string; field: string | undefined } {
  let values: { format?: string; field?: string };
  try {
    ({ values } = parseArgs({ args, options: { format: { type: 'string' }, field: { type: 'string' } } }));
  } catch (error) {
    throw new UserError(`config-schema: ${(error as Error).message}`);
  }
  const { format = 'json', field } = values;
  if (format !== 'json' && format !== 'yaml')
    throw new UserError(`--format is json or yaml, not ${JSON.stringify(format)}`);
  return { format, field };
}
