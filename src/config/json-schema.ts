import { z } from 'zod';
import { didYouMean } from './nearest.js';
import { schema } from './schema/index.js';
import { UserError } from './user-error.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** JSON Schema (draft 2020-12) of a config file, for editors and checks. */
export function configSchema(): JsonSchema {
  const dropSafeIntegerBounds = ({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }) => {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  };
  return { title: 'anneal config', ...z.toJSONSchema(schema, { io: 'input', override: dropSafeIntegerBounds }) };
}

function properties(node: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return (node.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
}

/** Schema nodes under `node`: itself, its alternatives, and the items of lists. */
function alternatives(node: JsonSchema): JsonSchema[] {
  const below = [
    ...((node.anyOf ?? node.oneOf ?? []) as JsonSchema[]),
    ...(node.items ? [node.items as JsonSchema] : []),
  ];
  return [node, ...below.flatMap(alternatives)];
}

/** JSON Schema of one key, also a dotted one (`trl.beta`). Upper and lower case are the same. */
export function fieldSchema(name: string): JsonSchema {
  let found: JsonSchema = configSchema();
  const path = name
    .replaceAll('-', '_')
    .split('.')
    .filter((part) => !/^\d+$/.test(part));
  for (const [depth, part] of path.entries()) {
    const nodes = alternatives(found).map(properties);
    const candidates = [...new Set(nodes.flatMap((node) => Object.keys(node)))];
    const key = candidates.find((candidate) => candidate.toLowerCase() === part.toLowerCase());
    if (key === undefined) {
      const parent = path.slice(0, depth).join('.');
      throw new UserError(
        `there is no config key ${JSON.stringify(name)}${didYouMean(part, candidates)}${parent && ` (in ${parent})`}`,
      );
    }
    found = nodes.find((node) => node[key] !== undefined)![key]!;
  }
  return found;
}
