import { parse } from 'yaml';
import { nearest } from '../text/index.js';
import { dottedKeys, inner, keysOf, type Path, schemaAt } from './introspect.js';
import { schema } from './schema/index.js';
import { UserError } from './user-error.js';

/** A value that the command line sets; undefined unsets the key. */
export interface Override {
  readonly path: Path;
  readonly value: unknown;
  /** As it was written, to name it in messages: `--trl.beta`. */
  readonly flag: string;
}

export interface ParsedOverrides {
  readonly overrides: readonly Override[];
  readonly problems: readonly { readonly flag: string; readonly message: string }[];
}

/** The arguments of a command that reads a config, taken apart. */
export interface SplitArguments<Own extends Readonly<Record<string, 'flag' | 'value'>>> {
  readonly positionals: readonly string[];
  /** The command's own options: true for a given flag, the text of a given value. */
  readonly own: { readonly [Name in keyof Own]?: Own[Name] extends 'flag' ? true : string };
  /** What is left: overrides of the config, for `loadConfig`. */
  readonly overrides: readonly string[];
}

interface Token {
  readonly name: string;
  readonly value: string | null;
}

/** Path of a dotted kebab or snake name: `trl.num-generations` → ['trl', 'num_generations']. */
function toPath(name: string): Path {
  return name.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part.replaceAll('-', '_')));
}

function schemaOf(name: string) {
  const path = toPath(name);
  return path[0] !== undefined && keysOf(schema).includes(String(path[0])) ? schemaAt(schema, path) : null;
}

function isBoolean(name: string): boolean {
  const found = schemaOf(name);
  return found !== null && inner(found)._zod.def.type === 'boolean';
}

/** Takes `args` apart into options and the rest. `takesValue` says whether an option without `=` takes what follows as its value. */
function tokenize(
  args: readonly string[],
  takesValue: (name: string, next: string) => boolean,
): { tokens: Token[]; rest: string[] } {
  const tokens: Token[] = [];
  const rest: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!;
    if (!argument.startsWith('--') || argument === '--') {
      rest.push(argument);
      continue;
    }
    const equals = argument.indexOf('=');
    if (equals > 0) {
      tokens.push({ name: argument.slice(2, equals), value: argument.slice(equals + 1) });
      continue;
    }
    const name = argument.slice(2);
    const next = args[index + 1];
    const value = next !== undefined && !next.startsWith('--') && takesValue(name, next) ? next : null;
    if (value !== null) index++;
    tokens.push({ name, value });
  }
  return { tokens, rest };
}

function overrideTakesValue(name: string, next: string): boolean {
  if (name.startsWith('no-') && isBoolean(name.slice(3))) return false;
  return !isBoolean(name) || /^(true|false)$/i.test(next);
}

/**
 * Separates a command's own options and positional arguments from overrides of the config.
 * `own` names the options with `flag` (no value) or `value`.
 * @throws UserError where one of them lacks its value or has one that it does not take
 */
export function splitArguments<const Own extends Readonly<Record<string, 'flag' | 'value'>>>(
  args: readonly string[],
  own: Own,
): SplitArguments<Own> {
  const { tokens, rest } = tokenize(args, (name, next) =>
    Object.hasOwn(own, name) ? own[name] === 'value' : overrideTakesValue(name, next),
  );
  const found: Record<string, true | string> = {};
  const overrides: string[] = [];
  for (const { name, value } of tokens) {
    if (Object.hasOwn(own, name) && own[name] === 'flag') {
      if (value !== null) throw new UserError(`--${name} takes no value; it is on when it is given`);
      found[name] = true;
    } else if (Object.hasOwn(own, name)) {
      if (value === null) throw new UserError(`--${name} needs a value`);
      found[name] = value;
    } else overrides.push(value === null ? `--${name}` : `--${name}=${value}`);
  }
  return { positionals: rest, own: found as SplitArguments<Own>['own'], overrides };
}

/** Reads a value given on the command line as the kind of value that its key wants. What does not fit stays a text, for the schema to refuse. */
function coerce(wanted: Parameters<typeof inner>[0], text: string): unknown {
  if (text === 'null' || text === '~') return undefined;
  const def = inner(wanted)._zod.def;
  switch (def.type) {
    case 'boolean':
      return /^(true|1|yes)$/i.test(text) ? true : /^(false|0|no)$/i.test(text) ? false : text;
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'string':
    case 'enum':
    case 'literal':
      return text;
    case 'array':
      if (text.trimStart().startsWith('[')) break;
      return text.split(',').map((item) => coerce(def.element, item.trim()));
    default:
      break;
  }
  try {
    return parse(text);
  } catch {
    return text;
  }
}

function unknownOption(name: string): string {
  const names = dottedKeys(schema).map((key) => key.replaceAll('_', '-'));
  const plain = name.replaceAll('_', '-').replace(/\.\d+(?=\.|$)/g, '.0');
  const match =
    names.find((key) => key.endsWith(`.${plain}`)) ??
    nearest(plain, names) ??
    nearest(plain.replace(/^no-/, ''), names);
  return `no such option${match ? `; did you mean --${match}?` : ''}`;
}

/** Reads `--kebab-key value`, `--dotted.key=value`, `--flag` and `--no-flag` as values of config keys. */
export function parseOverrides(args: readonly string[]): ParsedOverrides {
  const { tokens, rest } = tokenize(args, overrideTakesValue);
  const overrides: Override[] = [];
  const problems = rest.map((argument) => ({ flag: argument, message: 'unexpected argument' }));
  for (const { name, value } of tokens) {
    const flag = `--${name}`;
    if (name.startsWith('no-') && value === null && isBoolean(name.slice(3))) {
      overrides.push({ path: toPath(name.slice(3)), value: false, flag });
      continue;
    }
    const wanted = schemaOf(name);
    if (wanted === null) problems.push({ flag, message: unknownOption(name) });
    else if (value === null && !isBoolean(name)) problems.push({ flag, message: 'needs a value' });
    else overrides.push({ path: toPath(name), value: value === null ? true : coerce(wanted, value), flag });
  }
  return { overrides, problems };
}

/** Puts overrides into the data of a config. Returns what does not fit: an item past the end of a list, a key below a plain value. */
export function applyOverrides(
  config: Record<string, unknown>,
  overrides: readonly Override[],
): { readonly flag: string; readonly message: string }[] {
  const problems: { flag: string; message: string }[] = [];
  for (const { path, value, flag } of overrides) {
    let target: unknown = config;
    let misfit: string | null = null;
    for (const [depth, key] of path.entries()) {
      if (typeof target !== 'object' || target === null)
        misfit = `${path.slice(0, depth).join('.')} is no mapping or list`;
      else if (Array.isArray(target) && (typeof key !== 'number' || key > target.length)) {
        misfit = `${path.slice(0, depth).join('.')} has ${target.length} item${target.length === 1 ? '' : 's'} (the first is 0)`;
      }
      if (misfit !== null) break;
      const container = target as Record<string | number, unknown>;
      if (depth === path.length - 1) {
        if (value === undefined && Array.isArray(target)) target.splice(key as number, 1);
        else if (value === undefined) delete container[key];
        else container[key] = value;
      } else {
        container[key] ??= typeof path[depth + 1] === 'number' ? [] : {};
        target = container[key];
      }
    }
    if (misfit !== null) problems.push({ flag, message: misfit });
  }
  return problems;
}
