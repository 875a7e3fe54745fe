import { z } from 'zod';

/** A key that may be left out; unset reads as null. */
export function optional<T extends z.ZodType>(schema: T): z.ZodDefault<z.ZodNullable<T>> {
  // zod types the default as the schema's output, for which null is right by construction.
  return schema.nullable().default(null as never);
}

export const text = z.string().min(1, { error: 'expected a text that is not empty' });
export const count = z.number().int().min(1);
export const flag = (value: boolean) => z.boolean().default(value);

/** A positive number, also written as a quoted text such as `"2e-4"`. */
export const positiveNumber = z
  .union(
    [z.number(), z.string().regex(/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/, { error: 'expected a number' })],
    {
      error: 'expected a number',
    },
  )
  .transform(Number)
  .pipe(z.number().positive());

/** A number of steps, or below 1 a share of all steps. */
export const stepsOrShare = z
  .number()
  .positive()
  .refine((value) => value < 1 || Number.isInteger(value), {
    error: 'expected a whole number of steps, or a share of all steps between 0 and 1',
  });
