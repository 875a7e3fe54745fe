import fc from 'fast-check';
import { expect, it } from 'vitest';
import { opNames } from '../../src/graph/apply.js';
import { bindDim } from '../../src/graph/index.js';
import { bound, difference, problem, sizes, symbolic } from './check-instance.js';
import { opRows } from './op-rows.js';
import { prepare } from './run.js';

const tolerance = 1e-4;

it('every registered op has a row', () => {
  const covered = new Set(opRows.flatMap((row) => row.ops));
  expect(opNames().filter((name) => !covered.has(name))).toEqual([]);
});

it.each(opRows.map((row) => [row.label, row] as const))(
  '%s: values and gradients of plain loops, whether sizes are known when compiled or not',
  async (_, row) => {
    await fc.assert(
      fc.asyncProperty(row.instances, fc.nat(), async (make, seed) => {
        const free = problem(make, symbolic, seed);
        const known = problem(make, bound, seed);
        const { compiled, run } = await prepare(free.outputs, { symbols: sizes });
        const results = {
          symbolic: await run(free.feeds),
          'bound at compile time': await (await prepare(free.outputs, { bindings: sizes })).run(free.feeds),
          'never symbolic': await (await prepare(known.outputs)).run(known.feeds),
        };
        expect(compiled.outputs.length).toBeGreaterThan(0);
        for (const [name, value] of Object.entries(free.expected)) {
          const inferred = free.outputs[name]!.shape.map((dim) => bindDim(dim, sizes));
          for (const [how, result] of Object.entries(results)) {
            expect(result[name]!.shape, `${name}, ${how}`).toEqual(inferred);
            expect(difference(result[name]!, value), `${name}, ${how}: ${result[name]!.data}`).toBeLessThan(tolerance);
            expect(result[name]!.data, `${name}, ${how}`).toEqual(results.symbolic[name]!.data);
          }
        }
        if (row.differentiable) expect(free.withoutGradient).toEqual([]);
        else expect(Object.keys(free.outputs).filter((name) => name.startsWith('g'))).toEqual([]);
      }),
      { numRuns: 8 },
    );
  },
);
