import { z } from 'zod';
import { didYouMean, type Problem, problemsOf } from '../../config/index.js';
import { row } from '../environment/schema.js';
import type { Case, FunctionSignature } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import { isRecord } from '../is-record.js';
import { toValue, type Value } from '../value.js';

/** A row with its place in the list it came from. */
export interface ReadRow {
  readonly case: Case;
  /** Whether the row gave it a name of its own. */
  readonly named: boolean;
  readonly variant: string | null;
  readonly index: number;
}

const rows = z.array(row);

/**
 * Reads rows of `{id?, input, expected?, weight?, group?, variant?}` as cases. Values become `Value`s by the signature's types; without
 * a signature `input` is one mapping. What is wrong goes to `report`, with paths that begin with the row's index; such rows are left out.
 */
export function readRows(
  list: readonly unknown[],
  signature: FunctionSignature | null,
  report: (problem: Problem) => void,
): ReadRow[] {
  const read: ReadRow[] = [];
  for (const [index, raw] of list.entries()) {
    const parsed = row.safeParse(raw);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) problemsOf(rows, issue, list, [index]).forEach(report);
      continue;
    }
    const { id, weight, group, variant } = parsed.data;
    let good = true;
    const value = (path: readonly (string | number)[], make: () => Value): Value => {
      try {
        return make();
      } catch (error) {
        if (!(error instanceof GymError)) throw error;
        good = false;
        report({ path: [index, ...path], message: error.message, about: 'value' });
        return null;
      }
    };
    const input = readInput(parsed.data.input, signature, value, (path, message, about) => {
      good = false;
      report({ path: [index, 'input', ...path], message, about });
    });
    const expected = Object.hasOwn(raw as object, 'expected')
      ? { expected: value(['expected'], () => toValue(parsed.data.expected, signature?.returns)) }
      : {};
    if (!good) continue;
    read.push({
      case: { id: String(id ?? index + 1), input, ...expected, weight, group: group ?? null },
      named: id !== undefined,
      variant: variant ?? null,
      index,
    });
  }
  return read;
}

function readInput(
  input: unknown,
  signature: FunctionSignature | null,
  value: (path: readonly (string | number)[], make: () => Value) => Value,
  fail: (path: readonly (string | number)[], message: string, about: 'key' | 'value') => void,
): readonly Value[] {
  if (signature === null) {
    if (isRecord(input))
      return [value(['input'], () => toValue(input, { kind: 'dict', key: { kind: 'str' }, value: { kind: 'any' } }))];
    fail([], input === undefined ? 'missing; expected a mapping' : 'expected a mapping', 'value');
    return [];
  }
  const { parameters } = signature;
  const names = parameters.map(({ name }) => name);
  if (Array.isArray(input)) {
    if (input.length === parameters.length) {
      return parameters.map(({ type }, at) => value(['input', at], () => toValue(input[at], type)));
    }
    fail([], `expected ${parameters.length} arguments (${names.join(', ')}), got ${input.length}`, 'value');
    return [];
  }
  if (!isRecord(input)) {
    const wanted = `expected a mapping of ${names.join(', ')}, or a list of the arguments`;
    fail([], input === undefined ? `missing; ${wanted}` : wanted, 'value');
    return [];
  }
  for (const key of Object.keys(input)) {
    if (!names.includes(key)) fail([key], `the function has no parameter ${key}${didYouMean(key, names)}`, 'key');
  }
  return parameters.map(({ name, type }) => {
    if (Object.hasOwn(input, name)) return value(['input', name], () => toValue(input[name], type));
    fail([name], 'missing', 'value');
    return null;
  });
}
