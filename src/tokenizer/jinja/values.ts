import { isText, joinText, rawText, type Text, TrackedText, textLength } from './text.js';

/**
 * Python's values as JavaScript's: None is null, a dict is a Map, what Jinja calls undefined is undefined. int and float
 * are both numbers, so a whole float prints without its `.0`; JSON read by JavaScript has lost that distinction anyway.
 */
export type Value = null | undefined | boolean | number | Text | Value[] | Dict | Namespace | Callable;
export type Dict = Map<unknown, Value>;
export type Kwargs = ReadonlyMap<string, Value>;

export class Namespace {
  constructor(readonly values: Map<string, Value>) {}
}

export class Callable {
  constructor(readonly call: (args: readonly Value[], kwargs: Kwargs) => Value) {}
}

/** What a template does wrong, or says with raise_exception. `near` is text of the template that helps to find it. */
export class JinjaError extends Error {
  override readonly name = 'JinjaError';
  /** What the loops around the place were at, innermost first. */
  readonly loopItems: Value[] = [];
  constructor(
    message: string,
    readonly near: string | null = null,
  ) {
    super(message);
  }
}

/** Differs from a list only in how it prints. */
export class Tuple extends Array<Value> {
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

export const tuple = (...values: Value[]): Value[] => Tuple.from(values);

export function toValue(input: unknown): Value {
  if (input === null || input === undefined) return input;
  if (isText(input) || typeof input === 'boolean' || typeof input === 'number') return input;
  if (typeof input === 'bigint') return Number(input);
  if (Array.isArray(input)) return input.map(toValue);
  if (input instanceof Map || input instanceof Callable || input instanceof Namespace) return input as Value;
  if (typeof input === 'object') return new Map(Object.entries(input).map(([key, value]) => [key, toValue(value)]));
  throw new JinjaError(`a ${typeof input} cannot be used in a template`);
}

export function typeName(value: Value): string {
  if (value === undefined) return 'undefined';
  if (value === null) return 'None';
  if (isText(value)) return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Map) return 'dict';
  return value instanceof Namespace ? 'namespace' : 'function';
}

export function truth(value: Value): boolean {
  if (isText(value)) return rawText(value) !== '';
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  return Boolean(value);
}

export function equal(a: Value, b: Value): boolean {
  if (isText(a) || isText(b)) return isText(a) && isText(b) && rawText(a) === rawText(b);
  // In Python True is 1 and False is 0.
  if (isNumeric(a) && isNumeric(b)) return Number(a) === Number(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => equal(item, b[i]));
  }
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && equal(value, b.get(key)));
  }
  return a === b;
}

const isNumeric = (value: Value): value is number | boolean => typeof value === 'number' || typeof value === 'boolean';

/** Negative, zero or positive, as a sorts before, with or after b. Code points order strings, not UTF-16 units. */
export function compare(a: Value, b: Value): number {
  if (isText(a) && isText(b)) return compareCodePoints(rawText(a), rawText(b));
  if (isNumeric(a) && isNumeric(b)) return Number(a) - Number(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      if (!equal(a[i], b[i])) return compare(a[i], b[i]);
    }
    return a.length - b.length;
  }
  throw new JinjaError(`${typeName(a)} and ${typeName(b)} cannot be ordered`);
}

function compareCodePoints(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i >= a.length || i >= b.length) return a.length - b.length;
  return a.codePointAt(i)! - b.codePointAt(i)!;
}

/** An operand that must be a number. */
export function number(value: Value, operator: string): number {
  if (isNumeric(value)) return Number(value);
  throw new JinjaError(`'${operator}' needs a number, not ${typeName(value)}`);
}

/** A string as a key of a dict; other keys are themselves. */
export const dictKey = (value: Value): unknown => (isText(value) ? rawText(value) : value);

export function lengthOf(value: Value): number {
  if (value === undefined) return 0;
  if (isText(value)) return textLength(value);
  if (Array.isArray(value)) return value.length;
  if (value instanceof Map) return value.size;
  throw new JinjaError(`${typeName(value)} has no length`);
}

export function itemsOf(value: Value): Value[] {
  if (value === undefined) return [];
  if (Array.isArray(value)) return value;
  if (value instanceof Map) return [...value.keys()] as Value[];
  if (isText(value)) return Array.from(rawText(value));
  throw new JinjaError(`${typeName(value)} cannot be iterated over`);
}

export function contains(container: Value, item: Value): boolean {
  if (isText(container)) {
    if (!isText(item)) throw new JinjaError(`'in <string>' needs a string on the left, not ${typeName(item)}`);
    return rawText(container).includes(rawText(item));
  }
  if (container instanceof Map) return container.has(dictKey(item));
  return itemsOf(container).some((other) => equal(other, item));
}

/** What `{{ value }}` prints: Python's str(). */
export function printed(value: Value): Text {
  if (value === undefined) return '';
  if (isText(value)) return value;
  return repr(value);
}

export function repr(value: Value): string {
  if (value === undefined) return 'Undefined';
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return printNumber(value);
  if (isText(value)) return quote(rawText(value));
  if (value instanceof Tuple) return `(${value.map(repr).join(', ')}${value.length === 1 ? ',' : ''})`;
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`;
  if (value instanceof Map) return `{${entries(value, repr)}}`;
  return value instanceof Namespace ? `<Namespace {${entries(value.values, repr)}}>` : '<function>';
}

const entries = (map: ReadonlyMap<unknown, Value>, print: (value: Value) => string): string =>
  [...map].map(([key, value]) => `${print(key as Value)}: ${print(value)}`).join(', ');

function printNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Number.isInteger(value)) return Number.isSafeInteger(value) ? String(value) : String(BigInt(value));
  // Python writes two digits of exponent and turns to exponents below 1e-4.
  const [digits, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 16)
    return String(value).includes('e') ? value.toFixed(-power + digits.length) : String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = mark;
  for (const char of text) {
    if (char === mark || char === '\\') out += `\\${char}`;
    else if (char === '\n') out += '\\n';
    else if (char === '\r') out += '\\r';
    else if (char === '\t') out += '\\t';
    else if (char < ' ' || char === '\x7f') out += `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
    else out += char;
  }
  return out + mark;
}

export interface JsonOptions {
  readonly indent: string | null;
  readonly ensureAscii: boolean;
  readonly sortKeys: boolean;
  readonly separators: readonly [item: Text, key: Text];
}

/** json.dumps. Strings that need no escape keep their origin. */
export function dumpJson(value: Value, options: JsonOptions, depth = 0): Text {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    return Number.isFinite(value)
      ? printNumber(value)
      : Number.isNaN(value)
        ? 'NaN'
        : value > 0
          ? 'Infinity'
          : '-Infinity';
  }
  if (isText(value)) return dumpString(value, options);
  const { indent, separators } = options;
  const newline = indent === null ? '' : `\n${indent.repeat(depth + 1)}`;
  const wrap = (open: string, items: readonly Text[], close: string): Text => {
    if (items.length === 0) return open + close;
    const end = indent === null ? '' : `\n${indent.repeat(depth)}`;
    return joinText([open, newline, joinText(items, joinText([separators[0], newline])), end, close]);
  };
  if (Array.isArray(value))
    return wrap(
      '[',
      value.map((item) => dumpJson(item, options, depth + 1)),
      ']',
    );
  if (value instanceof Map) {
    const pairs = [...value] as [Value, Value][];
    if (options.sortKeys) pairs.sort(([a], [b]) => compare(a, b));
    return wrap(
      '{',
      pairs.map(([key, item]) =>
        joinText([
          dumpString(isText(key) ? key : rawText(dumpJson(key, options)), options),
          separators[1],
          dumpJson(item, options, depth + 1),
        ]),
      ),
      '}',
    );
  }
  throw new JinjaError(`${typeName(value)} cannot be written as JSON`);
}

function dumpString(text: Text, { ensureAscii }: JsonOptions): Text {
  const raw = rawText(text);
  const escaped = JSON.stringify(raw).slice(1, -1);
  const ascii = ensureAscii
    ? escaped.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : escaped;
  return joinText(['"', ascii === raw && text instanceof TrackedText ? text : ascii, '"']);
}
