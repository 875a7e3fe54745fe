import { shorten } from '../../text/index.js';
import type { Checker } from '../environment/types.js';
import type { Language } from '../language.js';
import { plainNumber, showValue, type TaggedValue, type Value } from '../value.js';

/** The checkers that run no code. */
export type Comparator = Exclude<Checker, { readonly kind: 'script' }>;

/**
 * What is different between an output and what was expected, for a person: `at [2][0]: 3, expected 4`, `wrong type: tuple for
 * list`. null when nothing is. Values are written as `language` prints them.
 */
export function compare(
  comparator: Comparator,
  actual: Value,
  expected: Value,
  language: Language = 'python',
): string | null {
  try {
    const found = difference(comparator, comparator.kind === 'unordered' ? comparator.depth : 0, actual, expected);
    if (found === null) return null;
    const what = typeof found.what === 'string' ? found.what : mismatch(found.what[0], found.what[1], language);
    const place = found.path.map((key) => `[${showValue(key, language)}]`).join('');
    return place === '' ? what : `at ${place}: ${what}`;
  } catch (error) {
    // The stack's depth: no expected value is that deep, so an output that is differs from it.
    if (error instanceof RangeError) return 'nested too deeply';
    throw error;
  }
}

interface Difference {
  readonly path: readonly Value[];
  /** The two values, or what there is to say instead of showing them. */
  readonly what: string | readonly [Value, Value];
}

const here = (what: Difference['what']): Difference => ({ path: [], what });

const under = (key: Value, found: Difference | null): Difference | null =>
  found === null ? null : { path: [key, ...found.path], what: found.what };

function mismatch(actual: Value, expected: Value, language: Language): string {
  const kinds = [kindOf(actual, language), kindOf(expected, language)];
  if (kinds[0] !== kinds[1]) return `wrong type: ${kinds[0]} for ${kinds[1]}`;
  return `${brief(showValue(actual, language))}, expected ${brief(showValue(expected, language))}`;
}

const brief = (text: string): string => shorten(text, 120);

// Not the one of value.ts: what recurses to the end of the stack calls nothing of other modules, whose look-up may fail there too.
const isTagged = (value: Value): value is TaggedValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNumber = (value: Value): boolean =>
  typeof value === 'number' || (isTagged(value) && ('f' in value || 'i' in value));

function kindOf(value: Value, language: Language): string {
  const python = language === 'python' || language === 'bash';
  if (value === null) return python ? 'None' : 'null';
  if (typeof value === 'boolean') return python ? 'bool' : 'boolean';
  if (typeof value === 'string') return python ? 'str' : 'string';
  if (typeof value === 'number') return python ? 'int' : 'number';
  if (!isTagged(value)) return python ? 'list' : 'array';
  if ('i' in value) return python ? 'int' : 'bigint';
  if ('f' in value) return python ? 'float' : 'number';
  if ('t' in value) return python ? 'tuple' : 'array';
  if ('s' in value) return python ? 'set' : 'Set';
  if ('d' in value) return python ? 'dict' : 'object';
  return python ? 'bytes' : 'Uint8Array';
}

/** The items of what counts as a list: a tuple too, unless types matter. */
function listItems(value: Value, exact: boolean): readonly Value[] | null {
  if (Array.isArray(value)) return value;
  return !exact && isTagged(value) && 't' in value ? value.t : null;
}

function difference(comparator: Comparator, depth: number, actual: Value, expected: Value): Difference | null {
  if (typeof expected !== 'object' && actual === expected) return null;
  const exact = comparator.kind === 'exact';
  if (isNumber(expected)) return numbersEqual(comparator, actual, expected) ? null : here([actual, expected]);
  const wanted = listItems(expected, exact);
  if (wanted !== null) {
    const items = listItems(actual, exact);
    if (items === null) return here([actual, expected]);
    return depth > 0 ? multisetDifference(depth - 1, items, wanted) : listDifference(comparator, items, wanted);
  }
  if (!isTagged(expected)) return actual === expected ? null : here([actual, expected]);
  if (!isTagged(actual)) return here([actual, expected]);
  if ('t' in expected) {
    return 't' in actual ? listDifference(comparator, actual.t, expected.t) : here([actual, expected]);
  }
  if ('b' in expected)
    return 'b' in actual && bytesOf(actual.b) === bytesOf(expected.b) ? null : here([actual, expected]);
  if ('s' in expected) {
    return 's' in actual && setsEqual(comparator, actual.s, expected.s) ? null : here([actual, expected]);
  }
  if ('d' in expected) {
    return 'd' in actual ? dictDifference(comparator, depth, actual.d, expected.d) : here([actual, expected]);
  }
  return here([actual, expected]);
}

const bytesOf = (base64: string): string => Buffer.from(base64, 'base64').toString('base64');

function listDifference(
  comparator: Comparator,
  actual: readonly Value[],
  expected: readonly Value[],
): Difference | null {
  if (actual.length !== expected.length) return here(lengths(actual.length, expected.length));
  for (let index = 0; index < expected.length; index++) {
    const found = difference(comparator, 0, actual[index]!, expected[index]!);
    if (found !== null) return under(index, found);
  }
  return null;
}

const lengths = (actual: number, expected: number): string =>
  `${actual} item${actual === 1 ? '' : 's'}, expected ${expected}`;

/** `depth` is that of the items. */
function multisetDifference(depth: number, actual: readonly Value[], expected: readonly Value[]): Difference | null {
  if (actual.length !== expected.length) return here(lengths(actual.length, expected.length));
  const counts = new Map<string, number>();
  for (const item of expected) {
    const key = keyOf(item, depth, false);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  for (const item of actual) {
    const key = keyOf(item, depth, false);
    const left = counts.get(key) ?? 0;
    if (left === 0) return here(`${brief(showValue(item))} is not among what was expected, or too often`);
    counts.set(key, left - 1);
  }
  return null;
}

function setsEqual(comparator: Comparator, actual: readonly Value[], expected: readonly Value[]): boolean {
  const exact = comparator.kind === 'exact';
  const wanted = new Set(expected.map((item) => keyOf(item, 0, exact)));
  const got = new Set(actual.map((item) => keyOf(item, 0, exact)));
  if (got.size !== wanted.size) return false;
  if ([...got].every((key) => wanted.has(key))) return true;
  // Sets of floats: the nearest to each other are those of the same rank.
  if (comparator.kind !== 'numeric' || ![...actual, ...expected].every(isNumber)) return false;
  const ranked = (items: readonly Value[]) => [...items].sort((a, b) => approximate(a) - approximate(b));
  const sorted = ranked(expected);
  return ranked(actual).every(
    (item, index) => sorted[index] !== undefined && numbersEqual(comparator, item, sorted[index]),
  );
}

function dictDifference(
  comparator: Comparator,
  depth: number,
  actual: readonly (readonly [Value, Value])[],
  expected: readonly (readonly [Value, Value])[],
): Difference | null {
  const exact = comparator.kind === 'exact';
  const got = new Map(actual.map((pair) => [keyOf(pair[0], 0, exact), pair]));
  const wanted = new Map(expected.map((pair) => [keyOf(pair[0], 0, exact), pair]));
  for (const [key, [shown, value]] of wanted) {
    const found = got.get(key);
    if (found === undefined) return here(`no key ${brief(showValue(shown))}`);
    const different = difference(comparator, depth, found[1], value);
    if (different !== null) return under(shown, different);
  }
  for (const [key, [shown]] of got) if (!wanted.has(key)) return here(`a key too many: ${brief(showValue(shown))}`);
  return null;
}

function numbersEqual(comparator: Comparator, actual: Value, expected: Value): boolean {
  if (!isNumber(actual)) return false;
  if (comparator.kind === 'exact') return numberKey(actual, true) === numberKey(expected, true);
  if (numberKey(actual, false) === numberKey(expected, false)) return true;
  if (comparator.kind !== 'numeric') return false;
  const [a, b] = [approximate(actual), approximate(expected)];
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false;
  return Math.abs(a - b) <= comparator.absolute + comparator.relative * Math.abs(b);
}

/** To the nearest double. */
function approximate(value: Value): number {
  if (typeof value === 'number') return value;
  if (!isTagged(value)) return Number.NaN;
  return 'i' in value ? Number(value.i) : 'f' in value ? plainNumber(value.f) : Number.NaN;
}

/** Equal for equal numbers only. Unless types matter an int and a float are equal when they are the same number exactly. */
function numberKey(value: Value, exact: boolean): string {
  if (typeof value === 'number') return `#${value}`;
  if (!isTagged(value)) throw new TypeError('not a number');
  if ('i' in value) return `#${BigInt(value.i)}`;
  if (!('f' in value)) throw new TypeError('not a number');
  const number = plainNumber(value.f);
  if (exact) return `f${Object.is(number, -0) ? '-0' : number}`;
  return Number.isInteger(number) ? `#${BigInt(number)}` : `#${number}`;
}

/** A text that is the same for equal values only. Lists down to `depth` levels are multisets. */
function keyOf(value: Value, depth: number, exact: boolean): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (isNumber(value)) return numberKey(value, exact);
  const items = listItems(value, exact);
  if (items !== null) {
    const keys = items.map((item) => keyOf(item, Math.max(0, depth - 1), exact));
    return `[${(depth > 0 ? keys.sort() : keys).join()}]`;
  }
  const tagged = value as TaggedValue;
  if ('t' in tagged) return `(${tagged.t.map((item) => keyOf(item, depth, exact)).join()})`;
  if ('s' in tagged) return `{${[...new Set(tagged.s.map((item) => keyOf(item, 0, exact)))].sort().join()}}`;
  if ('d' in tagged) {
    const pairs = new Map(tagged.d.map(([key, entry]) => [keyOf(key, 0, exact), keyOf(entry, depth, exact)]));
    return `<${[...pairs]
      .map(([key, entry]) => `${key}:${entry}`)
      .sort()
      .join()}>`;
  }
  if ('b' in tagged) return `b${bytesOf(tagged.b)}`;
  throw new TypeError('not a value');
}
