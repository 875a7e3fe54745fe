import fc from 'fast-check';
import { toValue, type Value } from '../../src/gym/value.js';

const leaf: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.string(),
  fc.integer(),
  fc.double().map((number) => ({ f: floatOf(number) })),
  fc.bigInt().map((number) => toValue(number)),
  fc.uint8Array({ maxLength: 8 }).map((bytes) => ({ b: Buffer.from(bytes).toString('base64') })),
);

function floatOf(number: number): string {
  return (toValue(number, { kind: 'float' }) as { readonly f: string }).f;
}

/** Any value, as answers may return it. */
export const anyValue: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => {
  const items = fc.array(tie('value'), { maxLength: 4 });
  return {
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      items,
      items.map((t) => ({ t })),
      items.map((s) => ({ s })),
      fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 3 }).map((d) => ({ d })),
    ),
  };
}).value;
