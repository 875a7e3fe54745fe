import { type ParseArgsConfig, parseArgs } from 'node:util';
import { didYouMean, UserError } from '../config/index.js';

type Options = NonNullable<ParseArgsConfig['options']>;

interface Arguments<T extends Options> {
  readonly positionals: string[];
  readonly values: { readonly [Name in keyof T]?: Value<T[Name]> };
}

type Value<T extends Options[string]> = T extends { multiple: true } ? One<T>[] : One<T>;
type One<T extends Options[string]> = T['type'] extends 'boolean' ? boolean : string;

/**
 * The options and positional arguments of a command: `gym run`.
 * @throws UserError for unknown options, with the nearest known one, and for options without their value
 */
export function readArguments<T extends Options>(command: string, args: readonly string[], options: T): Arguments<T> {
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    const names = Object.keys(options).map((name) => `--${name}`);
    throw new UserError(
      `anneal ${command}: unknown option ${token.rawName}; it takes ${names.join(', ')}${didYouMean(token.rawName, names)}`,
    );
  }
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return parsed as unknown as Arguments<T>;
  } catch (error) {
    throw new UserError(`anneal ${command}: ${(error as Error).message.split('. ')[0]}`);
  }
}

/** The one argument that a command takes beside its options. */
export function onePositional(command: string, positionals: readonly string[], what: string): string {
  const [first, second] = positionals;
  if (first === undefined) throw new UserError(`anneal ${command} needs ${what}; see anneal ${command} --help`);
  if (second !== undefined) {
    throw new UserError(`anneal ${command} takes one argument, ${what}; there is also ${JSON.stringify(second)}`);
  }
  return first;
}

export function noPositionals(command: string, [first]: readonly string[]): void {
  if (first !== undefined) throw new UserError(`anneal ${command} takes options only; there is also ${first}`);
}

/** @throws UserError with the nearest name */
export function oneOf<T extends string>(option: string, value: string | undefined, names: readonly T[]): T | undefined {
  if (value === undefined) return undefined;
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  throw new UserError(
    `--${option} ${value}: there is no such ${option}; there are ${names.join(', ')}${didYouMean(value, names)}`,
  );
}

export function numberOf(
  option: string,
  text: string | undefined,
  { from = -Infinity, to = Infinity }: { readonly from?: number; readonly to?: number } = {},
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= from && value <= to) return value;
  const range = Number.isFinite(from) ? ` from ${from}${Number.isFinite(to) ? ` to ${to}` : ' on'}` : '';
  throw new UserError(`--${option} ${text}: wanted is a number${range}`);
}

/** By default from 1 on. */
export function wholeNumber(
  option: string,
  text: string | undefined,
  { from = 1, to = 999_999 }: { readonly from?: number; readonly to?: number } = {},
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= from && value <= to) return value;
  throw new UserError(`--${option} ${text}: wanted is a whole number from ${from} to ${to}`);
}
