import {
  changeText,
  isSpace,
  isText,
  joinText,
  rawText,
  replaceText,
  sliceText,
  splitText,
  stripText,
  type Text,
  textLength,
} from './text.js';
import {
  Callable,
  type Dict,
  dictKey,
  equal,
  itemsOf,
  JinjaError,
  printed,
  repr,
  tuple,
  typeName,
  type Value,
} from './values.js';

type Method<T> = (self: T, args: readonly Value[]) => Value;

const text = (value: Value, what: string): string => {
  if (!isText(value)) throw new JinjaError(`${what} needs a string, not ${typeName(value)}`);
  return rawText(value);
};

const integer = (value: Value, fallback: number): number => (typeof value === 'number' ? value : fallback);

const limitOf = (value: Value): number => {
  const limit = integer(value, -1);
  return limit < 0 ? Number.POSITIVE_INFINITY : limit;
};

const matchesAny = (affixes: Value, test: (affix: string) => boolean, what: string): boolean =>
  Array.isArray(affixes) ? affixes.some((affix) => test(text(affix, what))) : test(text(affixes, what));

export const titleCase = (raw: string): string =>
  raw.replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase());

export const capitalize = (raw: string): string => raw.charAt(0).toUpperCase() + raw.slice(1).toLowerCase();

const all = (pattern: RegExp): Method<Text> => {
  return (self) => pattern.test(rawText(self));
};

const STRING_METHODS: Readonly<Record<string, Method<Text>>> = {
  upper: (self) => changeText(self, (raw) => raw.toUpperCase()),
  lower: (self) => changeText(self, (raw) => raw.toLowerCase()),
  title: (self) => changeText(self, titleCase),
  capitalize: (self) => changeText(self, capitalize),
  strip: (self, [chars]) => stripText(self, chars == null ? null : text(chars, 'strip()'), true, true),
  lstrip: (self, [chars]) => stripText(self, chars == null ? null : text(chars, 'lstrip()'), true, false),
  rstrip: (self, [chars]) => stripText(self, chars == null ? null : text(chars, 'rstrip()'), false, true),
  startswith: (self, [prefix]) => matchesAny(prefix, (affix) => rawText(self).startsWith(affix), 'startswith()'),
  endswith: (self, [suffix]) => matchesAny(suffix, (affix) => rawText(self).endsWith(affix), 'endswith()'),
  removeprefix: (self, [prefix]) => {
    const affix = text(prefix, 'removeprefix()');
    return rawText(self).startsWith(affix) ? sliceText(self, affix.length) : self;
  },
  removesuffix: (self, [suffix]) => {
    const affix = text(suffix, 'removesuffix()');
    return affix !== '' && rawText(self).endsWith(affix)
      ? sliceText(self, 0, rawText(self).length - affix.length)
      : self;
  },
  split: (self, [separator, limit]) =>
    separator == null ? splitSpace(self, limitOf(limit)) : splitText(self, notEmpty(separator), limitOf(limit)),
  rsplit: (self, [separator, limit]) => {
    if (separator == null) {
      if (limitOf(limit) !== Number.POSITIVE_INFINITY) throw new JinjaError('rsplit() with a limit needs a separator');
      return splitSpace(self, Number.POSITIVE_INFINITY);
    }
    return splitFromRight(self, notEmpty(separator), limitOf(limit));
  },
  splitlines: (self) => splitLines(self),
  partition: (self, [separator]) => {
    const mark = notEmpty(separator);
    const at = rawText(self).indexOf(mark);
    return at < 0 ? tuple(self, '', '') : tuple(sliceText(self, 0, at), mark, sliceText(self, at + mark.length));
  },
  rpartition: (self, [separator]) => {
    const mark = notEmpty(separator);
    const at = rawText(self).lastIndexOf(mark);
    return at < 0 ? tuple('', '', self) : tuple(sliceText(self, 0, at), mark, sliceText(self, at + mark.length));
  },
  replace: (self, [old, replacement, limit]) => {
    if (!isText(replacement)) throw new JinjaError(`replace() needs a string, not ${typeName(replacement)}`);
    return replaceText(self, text(old, 'replace()'), replacement, limitOf(limit));
  },
  find: (self, [part]) => position(self, rawText(self).indexOf(text(part, 'find()'))),
  rfind: (self, [part]) => position(self, rawText(self).lastIndexOf(text(part, 'rfind()'))),
  index: (self, [part]) => {
    const at = rawText(self).indexOf(text(part, 'index()'));
    if (at < 0) throw new JinjaError(`index(): ${repr(part)} is not in the string`);
    return position(self, at);
  },
  count: (self, [part]) => splitText(self, notEmpty(part)).length - 1,
  join: (self, [items]) =>
    joinText(
      itemsOf(items).map((item) => {
        text(item, 'join()');
        return item as Text;
      }),
      self,
    ),
  format: (self, args) => formatBraces(self, args),
  isdigit: all(/^\p{Nd}+$/u),
  isalpha: all(/^\p{L}+$/u),
  isalnum: all(/^[\p{L}\p{N}]+$/u),
  isspace: (self) => rawText(self) !== '' && Array.from(rawText(self)).every(isSpace),
  isupper: (self) => rawText(self) === rawText(self).toUpperCase() && rawText(self) !== rawText(self).toLowerCase(),
  islower: (self) => rawText(self) === rawText(self).toLowerCase() && rawText(self) !== rawText(self).toUpperCase(),
};

const DICT_METHODS: Readonly<Record<string, Method<Dict>>> = {
  get: (self, [key, fallback]) => (self.has(dictKey(key)) ? self.get(dictKey(key)) : (fallback ?? null)),
  items: (self) => Array.from(self, ([key, value]) => tuple(key as Value, value)),
  keys: (self) => [...self.keys()] as Value[],
  values: (self) => [...self.values()],
  copy: (self) => new Map(self),
};

const LIST_METHODS: Readonly<Record<string, Method<Value[]>>> = {
  index: (self, [item]) => {
    const at = self.findIndex((other) => equal(other, item));
    if (at < 0) throw new JinjaError(`index(): ${repr(item)} is not in the list`);
    return at;
  },
  count: (self, [item]) => self.filter((other) => equal(other, item)).length,
  copy: (self) => [...self],
};

// transformers renders in Jinja's immutable sandbox, which refuses these.
const CHANGING = new Set('append clear extend insert pop popitem remove reverse setdefault sort update'.split(' '));

/** The method of a value, or undefined. */
export function methodOf(value: Value, name: string): Callable | undefined {
  const bind = <T extends Value>(methods: Readonly<Record<string, Method<T>>>, self: T): Callable | undefined => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    return method && new Callable((args) => method(self, args));
  };
  if (isText(value)) return bind(STRING_METHODS, value);
  if (!(value instanceof Map || Array.isArray(value))) return undefined;
  if (CHANGING.has(name) && !(value instanceof Map && value.has(name))) {
    return new Callable(() => {
      throw new JinjaError(`${name}() would change a ${typeName(value)}, which templates may not do`, `${name}(`);
    });
  }
  return value instanceof Map ? bind(DICT_METHODS, value) : bind(LIST_METHODS, value);
}

function notEmpty(separator: Value): string {
  const raw = text(separator, 'a separator');
  if (raw === '') throw new JinjaError('a separator may not be empty');
  return raw;
}

const position = (self: Text, at: number): number => (at < 0 ? -1 : textLength(rawText(self).slice(0, at)));

function splitSpace(self: Text, limit: number): Text[] {
  const raw = rawText(self);
  const parts: Text[] = [];
  for (let at = 0; at < raw.length; ) {
    if (isSpace(raw[at]!)) {
      at++;
      continue;
    }
    let end = at;
    while (end < raw.length && (parts.length >= limit || !isSpace(raw[end]!))) end++;
    parts.push(sliceText(self, at, end));
    at = end;
  }
  return parts;
}

function splitFromRight(self: Text, separator: string, limit: number): Text[] {
  const parts: Text[] = [];
  let end = rawText(self).length;
  while (parts.length < limit && end >= separator.length) {
    const at = rawText(self).lastIndexOf(separator, end - separator.length);
    if (at < 0) break;
    parts.push(sliceText(self, at + separator.length, end));
    end = at;
  }
  parts.push(sliceText(self, 0, end));
  return parts.reverse();
}

const LINE_ENDS = new Set('\n\r\v\f\u001c\u001d\u001e\u0085\u2028\u2029');

function splitLines(self: Text): Text[] {
  const raw = rawText(self);
  const parts: Text[] = [];
  let start = 0;
  for (let at = 0; at < raw.length; at++) {
    if (!LINE_ENDS.has(raw[at]!)) continue;
    parts.push(sliceText(self, start, at));
    if (raw[at] === '\r' && raw[at + 1] === '\n') at++;
    start = at + 1;
  }
  if (start < raw.length) parts.push(sliceText(self, start));
  return parts;
}

function formatBraces(self: Text, args: readonly Value[]): Text {
  let next = 0;
  const parts: Text[] = [];
  let done = 0;
  for (const match of rawText(self).matchAll(/\{\{|\}\}|\{(\d*)\}/g)) {
    parts.push(sliceText(self, done, match.index));
    if (match[1] === undefined) parts.push(match[0].charAt(0));
    else parts.push(printed(args[match[1] === '' ? next++ : Number(match[1])]));
    done = match.index + match[0].length;
  }
  return joinText([...parts, sliceText(self, done)]);
}
