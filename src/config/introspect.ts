import type { z } from 'zod';

type Schema = z.core.$ZodType;
export type Path = readonly (string | number)[];

/** The schema inside defaults, nullables and transforms: the one that a value in the YAML file has to match. */
export function inner(schema: Schema): z.core.$ZodTypes {
  const known = schema as z.core.$ZodTypes;
  switch (known._zod.def.type) {
    case 'default':
    case 'prefault':
    case 'nullable':
    case 'optional':
      return inner(known._zod.def.innerType);
    case 'pipe':
      return inner(known._zod.def.in);
    default:
      return known;
  }
}

/** The mappings that `value` may be matched against: one for an object, one or several for a union of objects. */
function objectShapes(schema: Schema, value?: unknown): Readonly<Record<string, Schema>>[] {
  const def = inner(schema)._zod.def;
  if (def.type === 'object') return [def.shape];
  if (def.type !== 'union') return [];
  const shapes = def.options.flatMap((option) => objectShapes(option));
  const discriminator = 'discriminator' in def ? (def.discriminator as string) : null;
  if (discriminator === null || typeof value !== 'object' || value === null) return shapes;
  const tag = (value as Record<string, unknown>)[discriminator];
  const chosen = shapes.filter((shape) => literalValues(shape[discriminator]).includes(tag));
  return chosen.length > 0 ? chosen : shapes;
}

/** The values that a literal or an enum allows. */
export function literalValues(schema: Schema | undefined): unknown[] {
  if (schema === undefined) return [];
  const def = inner(schema)._zod.def;
  if (def.type === 'literal') return [...def.values];
  if (def.type === 'enum') return Object.values(def.entries);
  if (def.type === 'union') return def.options.flatMap(literalValues);
  return [];
}

/** Names of the keys of a mapping; none for everything else. `value` chooses among the options of a tagged union. */
export function keysOf(schema: Schema, value?: unknown): string[] {
  return [...new Set(objectShapes(schema, value).flatMap((shape) => Object.keys(shape)))];
}

/** The schema of one key of a mapping or item of a list, or null when there can be none. */
export function childOf(schema: Schema, key: string | number, value?: unknown): Schema | null {
  const def = inner(schema)._zod.def;
  if (def.type === 'array') return typeof key === 'number' ? def.element : null;
  if (def.type === 'record') return def.valueType;
  for (const shape of objectShapes(schema, value)) {
    if (Object.hasOwn(shape, key)) return shape[key]!;
  }
  if (def.type === 'union') {
    for (const option of def.options) {
      const child = inner(option)._zod.def.type === 'record' ? childOf(option, key) : null;
      if (child !== null) return child;
    }
  }
  return null;
}

/** The schema at a path below `schema`, or null. `value` (the data) chooses among the options of tagged unions. */
export function schemaAt(schema: Schema, path: Path, value?: unknown): Schema | null {
  let current: Schema | null = schema;
  let data = value;
  for (const key of path) {
    if (current === null) return null;
    current = childOf(current, key, data);
    data = typeof data === 'object' && data !== null ? (data as Record<string | number, unknown>)[key] : undefined;
  }
  return current;
}

/** Every key below `schema` as a dotted path (`trl.beta`, `datasets.0.path`). */
export function dottedKeys(schema: Schema, prefix = ''): string[] {
  if (inner(schema)._zod.def.type === 'array') {
    const element = childOf(schema, 0);
    return element === null ? [] : dottedKeys(element, `${prefix}0.`);
  }
  return keysOf(schema).flatMap((key) => {
    const child = childOf(schema, key);
    return child === null ? [] : [`${prefix}${key}`, ...dottedKeys(child, `${prefix}${key}.`)];
  });
}

/** `value` without the keys that are null where a mapping of the schema stands: null in a config means unset. */
export function withoutUnset(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const element = childOf(schema, 0);
    return element === null ? value : value.map((item) => withoutUnset(element, item));
  }
  if (typeof value !== 'object' || value === null || keysOf(schema).length === 0) return value;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const child = childOf(schema, key, value);
    if (child === null) return [[key, item] as const];
    return item === null ? [] : [[key, withoutUnset(child, item)] as const];
  });
  return Object.fromEntries(entries);
}
