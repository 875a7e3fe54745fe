import type { Value } from './value-format.js';

/** The number that an `{f}` tag says. */
export function plainNumber(text: string): number {
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  if (text === '-inf') return Number.NEGATIVE_INFINITY;
  return Number(text);
}

/** A float as Python's `repr` writes it. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < 16)) {
    const text = String(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/**
 * Plain JSON for files, pages and other programs. What JSON cannot say is given up: tuples and sets become arrays, bytes base64,
 * integers beyond ±(2^53 − 1) and numbers that are not finite their text, and a dict whose keys are not all strings an array of pairs.
 */
export function toPlain(value: Value): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(toPlain);
  if ('i' in value) return value.i;
  if ('f' in value) {
    const number = plainNumber(value.f);
    return Number.isFinite(number) ? number : value.f;
  }
  if ('t' in value) return value.t.map(toPlain);
  if ('s' in value) return value.s.map(toPlain);
  if ('b' in value) return value.b;
  if ('d' in value) {
    const pairs = value.d.map(([key, entry]) => [toPlain(key), toPlain(entry)] as const);
    return value.d.every(([key]) => typeof key === 'string') ? Object.fromEntries(pairs as [string, unknown][]) : pairs;
  }
  return null;
}
