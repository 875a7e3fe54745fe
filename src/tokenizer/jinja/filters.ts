import { capitalize, methodOf, titleCase } from './methods.js';
import { changeText, isText, joinText, rawText, replaceText, splitText, stripText, type Text } from './text.js';
import {
  Callable,
  compare,
  contains,
  dumpJson,
  equal,
  itemsOf,
  JinjaError,
  type Kwargs,
  lengthOf,
  Namespace,
  printed,
  truth,
  tuple,
  typeName,
  type Value,
} from './values.js';

export type Filter = (value: Value, args: readonly Value[], kwargs: Kwargs) => Value;
export type Test = (value: Value, args: readonly Value[]) => boolean;

/** `value.name` of Jinja: a method or an entry; undefined where there is none. */
export function attribute(value: Value, name: string): Value {
  if (value instanceof Namespace) return value.values.get(name);
  const method = methodOf(value, name);
  if (method) return method;
  if (value instanceof Map) return value.get(name);
  if (value === undefined) throw new JinjaError(`something undefined has no attribute '${name}'`, `.${name}`);
  return undefined;
}

/** `a.b.0.c`, as the filters that take an attribute read it. */
function path(value: Value, name: Value): Value {
  if (typeof name === 'number') return Array.isArray(value) ? value.at(name) : undefined;
  return rawText(name as Text)
    .split('.')
    .reduce<Value>((inner, part) => {
      if (/^\d+$/.test(part)) return Array.isArray(inner) ? inner[Number(part)] : undefined;
      return inner instanceof Map ? inner.get(part) : attribute(inner, part);
    }, value);
}

export const TESTS: Readonly<Record<string, Test>> = {
  defined: (value) => value !== undefined,
  undefined: (value) => value === undefined,
  none: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  true: (value) => value === true,
  false: (value) => value === false,
  string: isText,
  number: (value) => typeof value === 'number' || typeof value === 'boolean',
  integer: (value) => typeof value === 'number' && Number.isInteger(value),
  float: (value) => typeof value === 'number' && !Number.isInteger(value),
  mapping: (value) => value instanceof Map,
  sequence: (value) => isText(value) || Array.isArray(value) || value instanceof Map,
  iterable: (value) => value === undefined || isText(value) || Array.isArray(value) || value instanceof Map,
  callable: (value) => value instanceof Callable,
  odd: (value) => Math.abs(Number(value)) % 2 === 1,
  even: (value) => Number(value) % 2 === 0,
  divisibleby: (value, [divisor]) => Number(value) % Number(divisor) === 0,
  lower: (value) => rawText(printed(value)) === rawText(printed(value)).toLowerCase(),
  upper: (value) => rawText(printed(value)) === rawText(printed(value)).toUpperCase(),
  in: (value, [container]) => contains(container, value),
  eq: (value, [other]) => equal(value, other),
  ne: (value, [other]) => !equal(value, other),
  lt: (value, [other]) => compare(value, other) < 0,
  le: (value, [other]) => compare(value, other) <= 0,
  gt: (value, [other]) => compare(value, other) > 0,
  ge: (value, [other]) => compare(value, other) >= 0,
};

const TEST_ALIASES: Readonly<Record<string, string>> = {
  '==': 'eq',
  equalto: 'eq',
  '!=': 'ne',
  '<': 'lt',
  lessthan: 'lt',
  '<=': 'le',
  '>': 'gt',
  greaterthan: 'gt',
  '>=': 'ge',
};

export function testNamed(name: string): Test {
  const test = TESTS[TEST_ALIASES[name] ?? name];
  if (!test) throw new JinjaError(`there is no test named '${name}'`, `is ${name}`);
  return test;
}

export function filterNamed(name: string): Filter {
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  if (!filter) throw new JinjaError(`there is no filter named '${name}'`, name);
  return filter;
}

const textFilter = (change: (text: Text) => Text): Filter => {
  return (value) => change(printed(value));
};

const keywordOr = (args: readonly Value[], kwargs: Kwargs, index: number, name: string): Value =>
  index < args.length ? args[index] : kwargs.get(name);

const trim: Filter = (value, args, kwargs) => {
  const chars = keywordOr(args, kwargs, 0, 'chars');
  return stripText(printed(value), isText(chars) ? rawText(chars) : null, true, true);
};

const fallback: Filter = (value, args, kwargs) => {
  const other = keywordOr(args, kwargs, 0, 'default_value');
  const falsy = truth(keywordOr(args, kwargs, 1, 'boolean'));
  return value === undefined || (falsy && !truth(value)) ? (other === undefined ? '' : other) : value;
};

/** select, reject, selectattr, rejectattr. */
const selecting = (byAttribute: boolean, wanted: boolean): Filter => {
  return (value, args) => {
    const [name, ...rest] = byAttribute ? args.slice(1) : args;
    const test: Test = name === undefined ? (item) => truth(item) : testNamed(rawText(name as Text));
    return itemsOf(value).filter((item) => test(byAttribute ? path(item, args[0]) : item, rest) === wanted);
  };
};

const map: Filter = (value, args, kwargs) => {
  const name = kwargs.get('attribute');
  if (name !== undefined) {
    const missing = kwargs.get('default');
    return itemsOf(value).map((item) => {
      const found = path(item, name);
      return found === undefined ? missing : found;
    });
  }
  const filter = filterNamed(rawText(printed(args[0])));
  return itemsOf(value).map((item) => filter(item, args.slice(1), kwargs));
};

/** What sort, unique, min and max compare: an attribute if asked for, strings without case unless told otherwise. */
const sortKey = (kwargs: Kwargs, caseSensitive: Value): ((item: Value) => Value) => {
  const name = kwargs.get('attribute');
  return (item) => {
    const key = name === undefined ? item : path(item, name);
    return isText(key) && !truth(caseSensitive) ? rawText(key).toLowerCase() : key;
  };
};

const sort: Filter = (value, args, kwargs) => {
  const key = sortKey(kwargs, keywordOr(args, kwargs, 1, 'case_sensitive'));
  const order = truth(keywordOr(args, kwargs, 0, 'reverse')) ? -1 : 1;
  return [...itemsOf(value)].sort((a, b) => order * compare(key(a), key(b)));
};

const dictsort: Filter = (value, args, kwargs) => {
  if (!(value instanceof Map)) throw new JinjaError(`dictsort needs a dict, not ${typeName(value)}`);
  const by = rawText(printed(keywordOr(args, kwargs, 1, 'by') ?? 'key')) === 'value' ? 1 : 0;
  const key = sortKey(new Map(), keywordOr(args, kwargs, 0, 'case_sensitive'));
  const order = truth(keywordOr(args, kwargs, 2, 'reverse')) ? -1 : 1;
  return Array.from(value, ([name, item]) => tuple(name as Value, item)).sort(
    (a, b) => order * compare(key(a[by]), key(b[by])),
  );
};

const unique: Filter = (value, _args, kwargs) => {
  const key = sortKey(kwargs, kwargs.get('case_sensitive'));
  const seen: Value[] = [];
  return itemsOf(value).filter((item) => {
    const own = key(item);
    if (seen.some((other) => equal(other, own))) return false;
    seen.push(own);
    return true;
  });
};

const extreme = (sign: number): Filter => {
  return (value, _args, kwargs) => {
    const key = sortKey(kwargs, kwargs.get('case_sensitive'));
    const items = itemsOf(value);
    if (items.length === 0) return undefined;
    return items.reduce((best, item) => (sign * compare(key(item), key(best)) > 0 ? item : best));
  };
};

const join: Filter = (value, args, kwargs) => {
  const name = keywordOr(args, kwargs, 1, 'attribute');
  const items = itemsOf(value).map((item) => printed(name === undefined ? item : path(item, name)));
  return joinText(items, printed(keywordOr(args, kwargs, 0, 'd')));
};

const tojson: Filter = (value, args, kwargs) => {
  const indent = keywordOr(args, kwargs, 1, 'indent') ?? null;
  const separators = keywordOr(args, kwargs, 2, 'separators');
  return dumpJson(value, {
    ensureAscii: truth(keywordOr(args, kwargs, 0, 'ensure_ascii')),
    indent: indent === null ? null : typeof indent === 'number' ? ' '.repeat(indent) : rawText(printed(indent)),
    separators: Array.isArray(separators)
      ? [printed(separators[0]), printed(separators[1])]
      : [indent === null ? ', ' : ',', ': '],
    sortKeys: truth(keywordOr(args, kwargs, 3, 'sort_keys')),
  });
};

const indent: Filter = (value, args, kwargs) => {
  const width = keywordOr(args, kwargs, 0, 'width') ?? 4;
  const space = isText(width) ? width : ' '.repeat(Number(width));
  const first = truth(keywordOr(args, kwargs, 1, 'first'));
  const blank = truth(keywordOr(args, kwargs, 2, 'blank'));
  const lines = splitText(printed(value), '\n').map((line, i) =>
    (i === 0 && !first) || (i > 0 && !blank && rawText(line) === '') ? line : joinText([space, line]),
  );
  return joinText(lines, '\n');
};

const replace: Filter = (value, args, kwargs) => {
  const count = keywordOr(args, kwargs, 2, 'count');
  return replaceText(
    printed(value),
    rawText(printed(args[0])),
    printed(args[1]),
    typeof count === 'number' && count >= 0 ? count : undefined,
  );
};

const round: Filter = (value, args, kwargs) => {
  const scale = 10 ** Number(keywordOr(args, kwargs, 0, 'precision') ?? 0);
  const method = rawText(printed(keywordOr(args, kwargs, 1, 'method') ?? 'common'));
  const scaled = Number(value) * scale;
  if (method === 'ceil') return Math.ceil(scaled) / scale;
  return (method === 'floor' ? Math.floor(scaled) : roundHalfEven(scaled)) / scale;
};

function roundHalfEven(value: number): number {
  const low = Math.floor(value);
  if (value - low !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };
const escapeHtml = textFilter((text) => changeText(text, (raw) => raw.replace(/[&<>"']/g, (char) => HTML[char]!)));

const parseNumber = (value: Value, parse: (raw: string) => number, args: readonly Value[]): Value => {
  const number = isText(value) ? parse(rawText(value).trim()) : Number(value);
  return Number.isNaN(number) ? (args[0] ?? 0) : number;
};

const FILTERS: Readonly<Record<string, Filter>> = {
  tojson,
  trim,
  join,
  map,
  sort,
  dictsort,
  unique,
  indent,
  replace,
  round,
  default: fallback,
  d: fallback,
  select: selecting(false, true),
  reject: selecting(false, false),
  selectattr: selecting(true, true),
  rejectattr: selecting(true, false),
  length: lengthOf,
  count: lengthOf,
  string: printed,
  upper: textFilter((text) => changeText(text, (raw) => raw.toUpperCase())),
  lower: textFilter((text) => changeText(text, (raw) => raw.toLowerCase())),
  title: textFilter((text) => changeText(text, titleCase)),
  capitalize: textFilter((text) => changeText(text, capitalize)),
  safe: (value) => value,
  escape: escapeHtml,
  e: escapeHtml,
  first: (value) => itemsOf(value)[0],
  last: (value) => itemsOf(value).at(-1),
  list: (value) => [...itemsOf(value)],
  reverse: (value) => (isText(value) ? Array.from(rawText(value)).reverse().join('') : [...itemsOf(value)].reverse()),
  items: (value) => {
    if (value === undefined) return [];
    if (!(value instanceof Map)) throw new JinjaError(`items needs a dict, not ${typeName(value)}`);
    return Array.from(value, ([key, item]) => tuple(key as Value, item));
  },
  int: (value, args) =>
    typeof value === 'number'
      ? Math.trunc(value)
      : parseNumber(value, (raw) => (/^[+-]?\d+(\.\d*)?$/.test(raw) ? Math.trunc(Number(raw)) : Number.NaN), args),
  float: (value, args) => parseNumber(value, (raw) => (raw === '' ? Number.NaN : Number(raw)), args),
  abs: (value) => Math.abs(Number(value)),
  sum: (value, args, kwargs) => {
    const name = keywordOr(args, kwargs, 0, 'attribute');
    return itemsOf(value).reduce<number>((all, item) => all + Number(name === undefined ? item : path(item, name)), 0);
  },
  min: extreme(-1),
  max: extreme(1),
  attr: (value, [name]) => attribute(value, rawText(printed(name))),
};
