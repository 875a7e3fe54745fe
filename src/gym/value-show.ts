import { shorten } from '../text/index.js';
import type { Language } from './language.js';
import { isTagged, type Value } from './value-format.js';
import { plainNumber } from './value-plain.js';

const maxLength = 500;

/** The value as the language would print it (Python's way by default), cut off after 500 characters. */
export function showValue(value: Value, language: Language = 'python'): string {
  const out: string[] = [];
  let length = 0;
  const put = (text: string): boolean => {
    out.push(text);
    length += text.length;
    return length <= maxLength;
  };
  const write = language === 'javascript' || language === 'typescript' ? writeJavaScript : writePython;
  write(value, put);
  return shorten(out.join(''), maxLength);
}

/** Takes a piece of text; false when there is room for no more. */
type Put = (text: string) => boolean;
type Write = (value: Value, put: Put) => boolean;

function writeList(open: string, items: readonly Value[], close: string, put: Put, write: Write): boolean {
  if (!put(open)) return false;
  for (const [index, item] of items.entries()) {
    if (index > 0 && !put(', ')) return false;
    if (!write(item, put)) return false;
  }
  return put(close);
}

function writePairs(
  open: string,
  pairs: readonly (readonly [Value, Value])[],
  between: string,
  close: string,
  put: Put,
  writeKey: Write,
  write: Write,
): boolean {
  if (!put(open)) return false;
  for (const [index, [key, entry]] of pairs.entries()) {
    if (index > 0 && !put(', ')) return false;
    if (!(writeKey(key, put) && put(between) && write(entry, put))) return false;
  }
  return put(close);
}

/** Single quotes unless the text has those and no double ones, as both languages do. Long texts are cut before they are escaped. */
function quoted(text: string): string {
  const part = text.slice(0, maxLength + 1);
  const escaped = JSON.stringify(part).slice(1, -1);
  if (part.includes("'") && !part.includes('"')) return `"${escaped}"`;
  return `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function writePython(value: Value, put: Put): boolean {
  if (value === null) return put('None');
  if (typeof value === 'boolean') return put(value ? 'True' : 'False');
  if (typeof value === 'string') return put(quoted(value));
  if (typeof value === 'number') return put(String(value));
  if (!isTagged(value)) return writeList('[', value, ']', put, writePython);
  if ('i' in value) return put(value.i);
  if ('f' in value) return put(value.f);
  if ('t' in value) return writeList('(', value.t, value.t.length === 1 ? ',)' : ')', put, writePython);
  if ('s' in value) return value.s.length === 0 ? put('set()') : writeList('{', value.s, '}', put, writePython);
  if ('d' in value) return writePairs('{', value.d, ': ', '}', put, writePython, writePython);
  return put(`b${quoted(Buffer.from(value.b, 'base64').toString('latin1'))}`);
}

function writeJavaScript(value: Value, put: Put): boolean {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return put(String(value));
  if (typeof value === 'string') return put(quoted(value));
  if (!isTagged(value)) return writeList('[', value, ']', put, writeJavaScript);
  if ('i' in value) return put(`${value.i}n`);
  if ('f' in value) {
    const number = plainNumber(value.f);
    return put(Object.is(number, -0) ? '-0' : String(number));
  }
  if ('t' in value) return writeList('[', value.t, ']', put, writeJavaScript);
  if ('s' in value) return writeList('Set {', value.s, '}', put, writeJavaScript);
  if ('b' in value)
    return writeList(
      'Uint8Array [',
      [...Buffer.from(value.b, 'base64').subarray(0, maxLength)],
      ']',
      put,
      writeJavaScript,
    );
  if (value.d.every(([key]) => typeof key === 'string')) {
    return writePairs('{', value.d, ': ', '}', put, writeKey, writeJavaScript);
  }
  return writePairs('Map {', value.d, ' => ', '}', put, writeJavaScript, writeJavaScript);
}

const writeKey: Write = (key, put) =>
  typeof key === 'string' && /^[A-Za-z_$][\w$]*$/.test(key) ? put(key) : writeJavaScript(key, put);
