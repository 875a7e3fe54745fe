import { nearest } from '../../text/index.js';
import { GymError } from '../gym-error.js';
import type { ValueType } from '../value-type.js';

const simple = {
  int: 'int',
  float: 'float',
  str: 'str',
  bool: 'bool',
  bytes: 'bytes',
  any: 'any',
  Any: 'any',
  None: 'none',
  none: 'none',
} as const;
const generic = ['list', 'set', 'tuple', 'dict'] as const;
/** Names of other languages and libraries, and what they are here. */
const elsewhere: Readonly<Record<string, string>> = {
  integer: 'int',
  number: 'float',
  string: 'str',
  boolean: 'bool',
  array: 'list',
  object: 'dict',
  null: 'None',
  optional: 'int | None',
  union: 'int | str',
};
const names = [...Object.keys(simple), ...generic];

/** Longer types are no types; the limit keeps the parser's depth in bounds. */
const maxLength = 500;

/**
 * Reads a type such as `dict[str, list[int]]`, `tuple[int, str]` or `int | None`. A bare `list` is `list[any]`, a bare `dict` `dict[any, any]`.
 * @throws GymError saying what is wrong, without a place
 */
export function parseType(text: string): ValueType {
  if (text.length > maxLength) throw new GymError(`a type of ${text.length} characters; at most ${maxLength}`);
  const tokens = text.match(/[A-Za-z_][\w.]*|\.\.\.|\S/g) ?? [];
  let position = 0;
  const fail = (message: string): never => {
    throw new GymError(`${message} in the type ${JSON.stringify(text)}`);
  };
  const take = (token: string): void => {
    const found = tokens[position++];
    if (found !== token) fail(`expected ${token}, got ${found ?? 'the end'}`);
  };

  const union = (): ValueType => {
    const options = [single()];
    while (tokens[position] === '|') {
      position++;
      options.push(single());
    }
    const flat = options.flatMap((option) => (option.kind === 'union' ? option.of : [option]));
    return flat.length === 1 ? flat[0]! : { kind: 'union', of: flat };
  };
  const items = (): ValueType[] | null => {
    if (tokens[position] !== '[') return null;
    take('[');
    const found = [union()];
    while (tokens[position] === ',') {
      position++;
      found.push(union());
    }
    take(']');
    return found;
  };
  const single = (): ValueType => {
    const name = tokens[position++];
    if (name === undefined) return fail('a type is missing');
    if (name === '...') return fail('"..." has no meaning here (for any number of items write list[…])');
    if (Object.hasOwn(simple, name)) return { kind: simple[name as keyof typeof simple] };
    if (!(generic as readonly string[]).includes(name)) {
      const lower = name.toLowerCase().replace(/^typing\./, '');
      const hint = Object.hasOwn(elsewhere, lower) ? elsewhere[lower]! : nearest(lower, names);
      return fail(`unknown type ${name}${hint === null ? '' : `; did you mean "${hint}"?`}`);
    }
    const of = items();
    const need = (count: number, what: string): readonly ValueType[] => {
      const found = of ?? Array.from({ length: count }, (): ValueType => ({ kind: 'any' }));
      return found.length === count ? found : fail(`${name} takes ${what}, got ${found.length}`);
    };
    if (name === 'list' || name === 'set') return { kind: name, of: need(1, 'one type')[0]! };
    if (name === 'tuple')
      return { kind: 'tuple', of: of ?? fail('tuple needs the types of its items, tuple[int, str],') };
    const [key, value] = need(2, 'two types, of its keys and values');
    return { kind: 'dict', key: key!, value: value! };
  };

  const type = union();
  if (position < tokens.length) fail(`expected the end, got ${tokens[position]}`);
  return type;
}
