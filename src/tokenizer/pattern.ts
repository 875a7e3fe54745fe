import * as library from '@huggingface/tokenizers';
import { asRecord, TokenizerError } from './tokenizer-json.js';

/** `[start, end)` of every match of a `{Regex}` or `{String}` pattern, in order, without overlap. */
export type Matcher = (text: string) => Iterable<readonly [start: number, end: number]>;

export function patternMatcher(pattern: unknown, where: string): Matcher {
  // Short form of old files: a bare string is a literal.
  const { Regex, String: literal } = typeof pattern === 'string' ? { String: pattern } : asRecord(pattern, where);
  if (typeof literal === 'string') return literalMatcher(literal);
  if (typeof Regex !== 'string') throw new TokenizerError(`${where}: expected {"Regex": …} or {"String": …}.`);
  return regexMatcher(translate(Regex, where));
}

// The package's type files import each other without extensions, so TypeScript does not find this class in them.
const { SplitPreTokenizer } = library as unknown as {
  SplitPreTokenizer: new (config: object) => { readonly pattern: RegExp | null };
};

/** Patterns are written for Oniguruma; the library knows how each construct reads in JavaScript. */
function translate(source: string, where: string): RegExp {
  try {
    const { pattern } = new SplitPreTokenizer({
      type: 'Split',
      pattern: { Regex: source },
      behavior: 'Isolated',
      invert: false,
    });
    if (pattern) return pattern;
  } catch (error) {
    throw new TokenizerError(
      `${where}: the pattern ${JSON.stringify(source)} cannot be used: ${(error as Error).message}`,
    );
  }
  throw new TokenizerError(`${where}: the pattern ${JSON.stringify(source)} cannot be used.`);
}

export const regexMatcher =
  (regex: RegExp): Matcher =>
  (text) =>
    regexMatches(regex, text);

function* regexMatches(regex: RegExp, text: string): Generator<readonly [number, number]> {
  regex.lastIndex = 0;
  for (const match of text.matchAll(regex)) yield [match.index, match.index + match[0].length];
}

function literalMatcher(literal: string): Matcher {
  return function* (text) {
    if (literal.length === 0) return;
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length)) {
      yield [at, at + literal.length];
    }
  };
}
