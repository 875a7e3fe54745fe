import { type ParseArgsConfig, parseArgs } from 'node:util';
import { didYouMean, UserError } from '../../config/index.js';

type Options = NonNullable<ParseArgsConfig['options']>;

interface Arguments<T extends Options> {
  readonly positionals: string[];
  readonly values: { readonly [Name in keyof T]?: Value<T[Name]> };
}

type Value<T extends Options[string]> = T extends { multiple: true } ? One<T>[] : One<T>;
type One<T extends Options[string]> = T['type'] extends 'boolean' ? boolean : string;

/**
 * The options and positional arguments of a command of `anneal gym`.
 * @throws UserError for unknown options, with the nearest known one, and for options without their value
 */
export function gymArguments<T extends Options>(verb: string, args: readonly string[], options: T): Arguments<T> {
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option' || Object.hasOwn(options, token.name)) continue;
    const names = Object.keys(options).map((name) => `--${name}`);
    throw new UserError(
      `anneal gym ${verb}: unknown option ${token.rawName}${didYouMean(token.rawName, names)}; it takes ${names.join(', ')}`,
    );
  }
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
    return parsed as unknown as Arguments<T>;
  } catch (error) {
    throw new UserError(`anneal gym ${verb}: ${(error as Error).message.split('. ')[0]}`);
  }
}
