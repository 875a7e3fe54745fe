/**
 * A value that crossed the border of a process: JSON, with tags for what JSON cannot say. It is what an answer's function
 * gets and gives, so equality is decided on it, outside the answer's process: no `__eq__`, no `toJSON`, no subclass reaches this far.
 *
 * | tag | Python | JavaScript |
 * | --- | --- | --- |
 * | `null` | `None` | `null`, `undefined` |
 * | number | `int` within ±(2^53 − 1) | safe integer, except −0 |
 * | `{i}` | larger `int`, in decimal | `bigint` outside that range |
 * | `{f}` | `float`, by `repr`; `nan`, `inf`, `-inf`, `-0.0` | any other number |
 * | array | `list` | array, typed array |
 * | `{t}` | `tuple` | – |
 * | `{s}` | `set`, `frozenset` | `Set` |
 * | `{d}` | `dict`, in order | `Map`, plain object |
 * | `{b}` | `bytes`, `bytearray`, as base64 | `Uint8Array` |
 */
export type Value = null | boolean | string | number | readonly Value[] | TaggedValue;

export type TaggedValue =
  | { readonly i: string }
  | { readonly f: string }
  | { readonly t: readonly Value[] }
  | { readonly s: readonly Value[] }
  | { readonly d: readonly (readonly [Value, Value])[] }
  | { readonly b: string };

export const isTagged = (value: Value | undefined): value is TaggedValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
