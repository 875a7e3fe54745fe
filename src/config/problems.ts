import type { z } from 'zod';
import { inner, keysOf, literalValues, type Path, schemaAt } from './introspect.js';
import { didYouMean } from './nearest.js';
import { UserError } from './user-error.js';

/** One thing wrong with a config. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  /** Whether the message is about the key itself (unknown, repeated) rather than its value. */
  readonly about: 'key' | 'value';
}

/** A problem with the place it was found at: `run.yaml:3:1` or `--learning-rate`. */
export interface LocatedProblem extends Problem {
  readonly where: string;
}

/** Everything that is wrong with a config, in the order of the file. */
export class ConfigError extends UserError {
  readonly problems: readonly LocatedProblem[];

  constructor(problems: readonly LocatedProblem[]) {
    super(describeProblems(problems));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** One line for each: `run.yaml:3:1 trl.beta: expected a number, got "x"`. */
export function describeProblems(problems: readonly LocatedProblem[]): string {
  return problems
    .map(({ where, path, message }) =>
      [where, path.length > 0 ? `${path.join('.')}:` : '', message].filter((part) => part !== '').join(' '),
    )
    .join('\n');
}

const kindNames: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};

function show(value: unknown): string {
  // JSON has no NaN and no Infinity (which 1e999 is).
  const shown = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value));
  return shown.length > 60 ? `${shown.slice(0, 57)}…` : shown;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined,
    root,
  );
}

function wrongKind(expected: string, value: unknown): string {
  const wanted = kindNames[expected] ?? expected;
  if (value === undefined) return `missing; expected ${wanted}`;
  const yesNo = expected === 'boolean' && typeof value === 'string' && /^(yes|no|on|off)$/i.test(value);
  return `expected ${wanted}, got ${show(value)}${yesNo ? ' (YAML 1.2 knows only true and false)' : ''}`;
}

function bound(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, value: unknown): string {
  const small = issue.code === 'too_small';
  const limit = small ? issue.minimum : issue.maximum;
  if (issue.origin === 'array')
    return `expected ${small ? 'at least' : 'at most'} ${limit} item${limit === 1 ? '' : 's'}`;
  const relation = small ? (issue.inclusive ? 'at least' : 'above') : issue.inclusive ? 'at most' : 'below';
  return `expected a number ${relation} ${limit}, got ${show(value)}`;
}

/**
 * Says what a zod issue means. `schema` is that of all the data, `root` the data the issue was found in, `base` the place of
 * the part of the schema it was parsed with.
 */
export function problemsOf(schema: z.core.$ZodType, issue: z.core.$ZodIssue, root: unknown, base: Path): Problem[] {
  const path = [...base, ...(issue.path as (string | number)[])];
  const value = valueAt(root, path);
  const one = (message: string): Problem[] => [{ path, message, about: 'value' }];
  switch (issue.code) {
    case 'invalid_type':
      return one(wrongKind(issue.expected, value));
    case 'too_small':
    case 'too_big':
      return issue.message.startsWith('expected')
        ? one(`${issue.message}, got ${show(value)}`)
        : one(bound(issue, value));
    case 'unrecognized_keys': {
      const mapping = schemaAt(schema, path, root);
      const names = mapping === null ? [] : keysOf(mapping, value);
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `unknown key${didYouMean(key, names)}`,
        about: 'key',
      }));
    }
    case 'invalid_value': {
      const values = issue.values.map(String);
      if (value === undefined) return one(`missing; expected one of ${values.join(', ')}`);
      return one(
        `expected ${values.length > 1 ? `one of ${values.join(', ')}` : values[0]}, got ${show(value)}${didYouMean(String(value), values)}`,
      );
    }
    case 'invalid_union': {
      if (!('discriminator' in issue)) {
        // Where the value is clearly meant as one of the options, what is wrong with that one says more.
        const meant = issue.errors.filter((option) => option.length === 1 && option[0]!.path.length > 0);
        if (meant.length === 1) return problemsOf(schema, meant[0]![0]!, root, path);
        return one(value === undefined ? `missing; ${issue.message}` : `${issue.message}, got ${show(value)}`);
      }
      const names = optionTags(schema, path);
      if (value === undefined) return one(`missing; expected one of ${names.join(', ')}`);
      return one(`expected one of ${names.join(', ')}, got ${show(value)}${didYouMean(String(value), names)}`);
    }
    default:
      return one(value === undefined ? issue.message : `${issue.message}, got ${show(value)}`);
  }
}

/** The tags of the union whose tag stands at `path`. */
function optionTags(schema: z.core.$ZodType, path: Path): string[] {
  const parent = schemaAt(schema, path.slice(0, -1));
  const def = parent === null ? null : inner(parent)._zod.def;
  if (def?.type !== 'union') return [];
  const tag = path.at(-1) as string;
  return def.options.flatMap((option) => {
    const shape = (option as z.core.$ZodTypes)._zod.def;
    return shape.type === 'object' ? literalValues(shape.shape[tag]).map(String) : [];
  });
}
