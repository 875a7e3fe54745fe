// Run by webgpu.test.ts in a process of its own, since a graphics driver may abort it. Writes one JSON line a graph.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Bindings, Tensor } from '../../src/graph/index.js';
import { add, input } from '../../src/graph/index.js';
import { difference, problem, sizes, symbolic } from './check-instance.js';
import { opRows } from './op-rows.js';
import { type Feeds, prepare, run, type Value } from './run.js';
import { smallTransformer } from './small-transformer.js';

export interface WebGpuReport {
  readonly label: string;
  /** Largest difference from what was expected, and the output that has it. */
  readonly worst: number;
  readonly output: string;
  /** Nodes that the CPU ran: the op and the element types and shapes of its inputs. */
  readonly cpuNodes: readonly { readonly op: string; readonly inputs: readonly Record<string, readonly number[]>[] }[];
}

interface ProfileEvent {
  readonly cat: string;
  readonly args?: {
    readonly provider?: string;
    readonly op_name: string;
    readonly input_type_shape: readonly Record<string, readonly number[]>[];
  };
}

const folder = mkdtempSync(join(tmpdir(), 'webgpu-'));
const write = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`);

async function report(
  label: string,
  outputs: Readonly<Record<string, Tensor>>,
  feeds: Feeds,
  symbols: Bindings,
  expected: Readonly<Record<string, Value>>,
): Promise<void> {
  const { run, session } = await prepare(outputs, {
    symbols,
    session: { executionProviders: ['webgpu'], enableProfiling: true, profileFilePrefix: join(folder, 'profile') },
  });
  const results = await run(feeds);
  session.endProfiling();
  const [file] = readdirSync(folder);
  const events = JSON.parse(readFileSync(join(folder, file!), 'utf8')) as ProfileEvent[];
  rmSync(join(folder, file!));
  const differences = Object.entries(expected).map(
    ([output, value]) => [difference(results[output]!, value), output] as const,
  );
  const [worst, output] = differences.reduce((a, b) => (b[0] <= a[0] ? a : b));
  const cpuNodes = events
    .filter(({ cat, args }) => cat === 'Node' && args?.provider === 'CPUExecutionProvider')
    .map(({ args }) => ({ op: args!.op_name, inputs: args!.input_type_shape }));
  write({ label, worst: Number.isFinite(worst) ? worst : 1e9, output, cpuNodes } satisfies WebGpuReport);
}

const x = input('x', 'float32', [1]);
try {
  await run({ y: add(x, x) }, { x: { shape: [1], data: [1] } }, { session: { executionProviders: ['webgpu'] } });
} catch (error) {
  write({ noAdapter: (error as Error).message });
  process.exit(0);
}
write({ adapter: true });

for (const row of opRows) {
  // An input handed straight to an output runs nothing.
  if (row.label === 'input') continue;
  for (const make of fc.sample(row.instances, { seed: 5, numRuns: 3 })) {
    const { outputs, feeds, expected } = problem(make, symbolic, 11);
    await report(row.label, outputs, feeds, sizes, expected);
  }
}

const { outputs, feeds, symbols } = smallTransformer({ recompute: true });
await report('transformer', outputs, feeds, symbols, await run(outputs, feeds, { symbols }));
write({ done: true });
rmSync(folder, { recursive: true });
process.exit(0);
