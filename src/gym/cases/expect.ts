import { functionName } from '../environment/signature.js';
import type { Case, Environment } from '../environment/types.js';
import type { GymContext } from '../types.js';
import { showValue, type Value } from '../value.js';
import { plainNumber } from '../value-plain.js';
import { showType, type ValueType } from '../value-type.js';
import { referenceOutputs } from '../verify/reference-outputs.js';
import { VerifierError } from '../verify/verifier-error.js';

/**
 * The cases with what is expected, where the first reference has to say it.
 * @throws VerifierError where it fails, or gives what the function is not declared to return: no right answer would equal that
 */
export async function withExpected(
  context: GymContext,
  environment: Environment,
  cases: readonly Case[],
): Promise<readonly Case[]> {
  const { signature, checker } = environment;
  const reference = environment.references[0];
  const open = cases.filter((one) => one.expected === undefined);
  if (open.length === 0 || signature === null || checker.kind === 'script' || reference === undefined) return cases;
  const name = functionName(signature, reference.language);
  const typed = await referenceOutputs(context, environment, reference, open);
  for (const [index, value] of typed.entries()) {
    if (serves(value, signature.returns)) continue;
    throw new VerifierError(
      `${environment.name}/${reference.path}: ${name} returned ${showValue(value, reference.language).slice(0, 100)} on the case ${open[index]!.id}; declared is ${showType(signature.returns)}`,
    );
  }
  const byCase = new Map(open.map((one, index) => [one, typed[index]!]));
  return cases.map((one) => (byCase.has(one) ? { ...one, expected: byCase.get(one)! } : one));
}

/** Whether a value is of the type, as far as comparing tells types apart: lists and tuples, ints and floats without a fraction are one. */
function serves(value: Value, type: ValueType): boolean {
  switch (type.kind) {
    case 'any':
      return true;
    case 'none':
      return value === null;
    case 'bool':
      return typeof value === 'boolean';
    case 'str':
      return typeof value === 'string';
    case 'union':
      return type.of.some((option) => serves(value, option));
    case 'list':
      return itemsOf(value)?.every((item) => serves(item, type.of)) ?? false;
    case 'tuple': {
      const items = itemsOf(value);
      return items?.length === type.of.length && items.every((item, index) => serves(item, type.of[index]!));
    }
    case 'int':
      if (typeof value === 'number' || tagged(value, 'i') !== null) return true;
      return Number.isInteger(plainNumber(tagged(value, 'f') ?? 'nan'));
    case 'float':
      return typeof value === 'number' || tagged(value, 'i') !== null || tagged(value, 'f') !== null;
    case 'bytes':
      return tagged(value, 'b') !== null;
    case 'set':
      return tagged(value, 's')?.every((item) => serves(item, type.of)) ?? false;
    case 'dict':
      return tagged(value, 'd')?.every(([key, entry]) => serves(key, type.key) && serves(entry, type.value)) ?? false;
  }
}

const itemsOf = (value: Value): readonly Value[] | null => (Array.isArray(value) ? value : tagged(value, 't'));

type Tagged<Tag extends string> = Extract<Value, Readonly<Record<Tag, unknown>>>;

function tagged<Tag extends 'i' | 'f' | 'b' | 't' | 's' | 'd'>(value: Value, tag: Tag): Tagged<Tag>[Tag] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !(tag in value)) return null;
  return (value as Tagged<Tag>)[tag];
}
