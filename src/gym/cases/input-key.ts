import { createHash } from 'node:crypto';
import type { Case } from '../environment/types.js';
import type { Value } from '../value.js';

/** A hash of what a case asks, equal for inputs that differ in the order of dict or set items only. */
export function inputKey({ input }: Case): string {
  return createHash('sha256')
    .update(JSON.stringify(input.map(ordered)))
    .digest('base64');
}

function ordered(value: Value): Value {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(ordered);
  if ('t' in value) return { t: value.t.map(ordered) };
  if ('s' in value) return { s: value.s.map(ordered).sort(byText) };
  if ('d' in value) return { d: value.d.map(([key, item]) => [ordered(key), ordered(item)] as const).sort(byText) };
  return value;
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
