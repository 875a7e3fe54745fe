import { shorten } from '../text/index.js';
import { GymError } from './gym-error.js';
import { isTagged, type TaggedValue, type Value } from './value-format.js';
import { floatText, plainNumber } from './value-plain.js';
import { showType, type ValueType } from './value-type.js';

/** As deep and as much as the drivers encode. */
const maxDepth = 200;
const maxValues = 1_000_000;
/** The time to read an integer grows with the square of its digits: 100,000 of them count as much as the most values. */
const digitsOfValue = 100;

/**
 * Whether a piece of JSON is a well-formed Value, no deeper and no larger than what the drivers encode. Nothing that came out of an
 * answer's process is used before this was asked: what it lets through can be compared, shown, and handed to any checker.
 */
export function isValue(json: unknown): json is Value {
  return wellFormed(json, 0, { values: maxValues });
}

interface Room {
  values: number;
}

function wellFormed(json: unknown, depth: number, room: Room): boolean {
  if (--room.values < 0 || depth > maxDepth + 1) return false;
  switch (typeof json) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isSafeInteger(json) && !Object.is(json, -0);
    case 'object':
      return (
        json === null || (Array.isArray(json) ? allWellFormed(json, depth, room) : isWellTagged(json, depth, room))
      );
    default:
      return false;
  }
}

const allWellFormed = (items: readonly unknown[], depth: number, room: Room): boolean =>
  items.every((item) => wellFormed(item, depth + 1, room));

function isWellTagged(json: object, depth = 0, room: Room = { values: Infinity }): json is TaggedValue {
  const entries = Object.entries(json);
  if (entries.length !== 1) return false;
  const [tag, content] = entries[0] as [string, unknown];
  switch (tag) {
    case 'i':
      if (typeof content !== 'string') return false;
      room.values -= (content.length / digitsOfValue) ** 2;
      return room.values >= 0 && /^-?\d+$/.test(content);
    case 'f':
      return (
        typeof content === 'string' &&
        content.length <= longestFloat &&
        /^(nan|-?inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(content)
      );
    case 'b':
      return typeof content === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(content);
    case 't':
    case 's':
      return Array.isArray(content) && allWellFormed(content, depth, room);
    case 'd':
      return (
        Array.isArray(content) &&
        content.every((pair) => Array.isArray(pair) && pair.length === 2 && allWellFormed(pair, depth, room))
      );
    default:
      return false;
  }
}

/** Digits that a double has none of are a text's. */
const longestFloat = 400;

/**
 * The Value that plain JSON or YAML says: by its declared type where there is one (`1` as float is `{f: '1.0'}`, an array as tuple
 * `{t}`, the key `"1"` of a `dict[int, …]` the number), else as it is. Tagged Values are taken as they are, but an object declared as
 * a dict with string keys is always that dict.
 * @throws GymError naming the place in the value and the type wanted there
 */
export function toValue(json: unknown, type: ValueType = { kind: 'any' }): Value {
  return read(json, type, '');
}

const isPlainObject = (json: unknown): json is Record<string, unknown> =>
  typeof json === 'object' &&
  json !== null &&
  (Object.getPrototypeOf(json) === Object.prototype || Object.getPrototypeOf(json) === null);

function describe(json: unknown): string {
  if (typeof json === 'bigint') return String(json);
  if (typeof json === 'number') return String(json);
  const text = JSON.stringify(json, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  return text === undefined ? typeof json : shorten(text, 60);
}

function integer(value: bigint): Value {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : { i: String(value) };
}

function read(json: unknown, type: ValueType, at: string): Value {
  const refuse = (): never => {
    throw new GymError(`${at === '' ? '' : `at ${at}: `}expected ${showType(type)}, got ${describe(json)}`);
  };
  const tagged =
    isPlainObject(json) && isWellTagged(json) && !(type.kind === 'dict' && type.key.kind === 'str') ? json : null;
  switch (type.kind) {
    case 'any':
      return tagged ?? readUntyped(json, at, refuse);
    case 'none':
      return json === null || json === undefined ? null : refuse();
    case 'bool':
      return typeof json === 'boolean' ? json : refuse();
    case 'str':
      return typeof json === 'string' ? json : refuse();
    case 'int':
      if (tagged !== null && 'i' in tagged) return integer(BigInt(tagged.i));
      if (typeof json === 'bigint') return integer(json);
      return typeof json === 'number' && Number.isInteger(json) ? integer(BigInt(json)) : refuse();
    case 'float':
      if (tagged !== null && 'f' in tagged) return tagged;
      return typeof json === 'number' || typeof json === 'bigint' ? { f: floatText(Number(json)) } : refuse();
    case 'bytes':
      if (tagged !== null && 'b' in tagged) return tagged;
      return json instanceof Uint8Array ? { b: Buffer.from(json).toString('base64') } : refuse();
    case 'list':
      return Array.isArray(json) ? json.map((item, index) => read(item, type.of, `${at}[${index}]`)) : refuse();
    case 'set': {
      const items = json instanceof Set ? [...json] : tagged !== null && 's' in tagged ? tagged.s : json;
      return Array.isArray(items)
        ? { s: items.map((item, index) => read(item, type.of, `${at}[${index}]`)) }
        : refuse();
    }
    case 'tuple': {
      const items = tagged !== null && 't' in tagged ? tagged.t : json;
      if (!Array.isArray(items) || items.length !== type.of.length) return refuse();
      return { t: items.map((item, index) => read(item, type.of[index]!, `${at}[${index}]`)) };
    }
    case 'dict': {
      const pairs =
        json instanceof Map
          ? [...json]
          : tagged !== null && 'd' in tagged
            ? tagged.d
            : isPlainObject(json)
              ? Object.entries(json)
              : refuse();
      return {
        d: pairs.map(([key, entry]) => {
          const place = `${at}[${describe(key)}]`;
          return [read(keyOf(key, type.key), type.key, place), read(entry, type.value, place)] as const;
        }),
      };
    }
    case 'union':
      for (const option of type.of) {
        try {
          return read(json, option, at);
        } catch (error) {
          if (!(error instanceof GymError)) throw error;
        }
      }
      return refuse();
  }
}

/** JSON's keys are texts; a dict's key may be a number. */
function keyOf(key: unknown, type: ValueType): unknown {
  return typeof key === 'string' && (type.kind === 'int' || type.kind === 'float') && /^-?\d+(\.\d+)?$/.test(key)
    ? Number(key)
    : key;
}

function readUntyped(json: unknown, at: string, refuse: () => never): Value {
  const any: ValueType = { kind: 'any' };
  if (json === undefined || json === null) return null;
  if (typeof json === 'boolean' || typeof json === 'string') return json;
  if (typeof json === 'number') {
    return Number.isSafeInteger(json) && !Object.is(json, -0) ? json : { f: floatText(json) };
  }
  if (typeof json === 'bigint') return integer(json);
  if (Array.isArray(json)) return json.map((item, index) => read(item, any, `${at}[${index}]`));
  if (json instanceof Uint8Array) return { b: Buffer.from(json).toString('base64') };
  if (json instanceof Set) return { s: [...json].map((item, index) => read(item, any, `${at}[${index}]`)) };
  const pairs = json instanceof Map ? [...json] : isPlainObject(json) ? Object.entries(json) : refuse();
  return {
    d: pairs.map(([key, entry]) => {
      const place = `${at}[${describe(key)}]`;
      return [read(key, any, place), read(entry, any, place)] as const;
    }),
  };
}

/**
 * What a JavaScript answer returned, with the distinctions that its language does not make restored from the declared type:
 * `1` where a float is declared, an array where a tuple is, `{'1': …}` where a dict has int keys. What does not fit stays as it is.
 */
export function asDeclared(value: Value, type: ValueType): Value {
  switch (type.kind) {
    case 'float':
      return typeof value === 'number' ? { f: floatText(value) } : value;
    case 'int': {
      if (typeof value !== 'object' || value === null || !('f' in value)) return value;
      const number = plainNumber(value.f);
      return Number.isInteger(number) ? integer(BigInt(number)) : value;
    }
    case 'list':
      return Array.isArray(value) ? value.map((item: Value) => asDeclared(item, type.of)) : value;
    case 'set':
      return isTagged(value) && 's' in value ? { s: value.s.map((item) => asDeclared(item, type.of)) } : value;
    case 'tuple':
      return Array.isArray(value) && value.length === type.of.length
        ? { t: value.map((item: Value, index) => asDeclared(item, type.of[index]!)) }
        : value;
    case 'dict':
      if (!isTagged(value) || !('d' in value)) return value;
      return {
        d: value.d.map(([key, entry]) => [
          asDeclared(declaredKey(key, type.key), type.key),
          asDeclared(entry, type.value),
        ]),
      };
    case 'union': {
      // The first alternative that the value fits, converted or not.
      for (const option of type.of) {
        const converted = asDeclared(value, option);
        if (fits(converted, option)) return converted;
      }
      return value;
    }
    default:
      return value;
  }
}

function declaredKey(key: Value, type: ValueType): Value {
  if (typeof key !== 'string') return key;
  const read = keyOf(key, type);
  return typeof read === 'number' ? toValue(read) : key;
}

function fits(value: Value, type: ValueType): boolean {
  switch (type.kind) {
    case 'any':
      return true;
    case 'none':
      return value === null;
    case 'bool':
      return typeof value === 'boolean';
    case 'str':
      return typeof value === 'string';
    case 'int':
      return typeof value === 'number' || (isTagged(value) && 'i' in value);
    case 'float':
      return isTagged(value) && 'f' in value;
    case 'bytes':
      return isTagged(value) && 'b' in value;
    case 'list':
      return Array.isArray(value) && value.every((item: Value) => fits(item, type.of));
    case 'set':
      return isTagged(value) && 's' in value && value.s.every((item) => fits(item, type.of));
    case 'tuple':
      return (
        isTagged(value) &&
        't' in value &&
        value.t.length === type.of.length &&
        value.t.every((item, index) => fits(item, type.of[index]!))
      );
    case 'dict':
      return (
        isTagged(value) &&
        'd' in value &&
        value.d.every(([key, entry]) => fits(key, type.key) && fits(entry, type.value))
      );
    case 'union':
      return type.of.some((option) => fits(value, option));
  }
}
