import { splitArguments, UserError } from '../config/index.js';
import { createConsole } from '../observe/index.js';
import { fullPlan, shortPlan } from '../quickstart/plan.js';
import { quickstart } from '../quickstart/quickstart.js';
import { onInterrupt } from './interrupt.js';

/** `anneal quickstart`. Exit code 130 when it was stopped before the end. */
export async function run(args: string[]): Promise<number> {
  const { positionals, own, overrides } = splitArguments(args, { short: 'flag', seed: 'value', output: 'value' });
  const [unknown] = [...positionals, ...overrides];
  if (unknown !== undefined) {
    throw new UserError(`quickstart: unknown argument ${unknown}; it takes --short, --seed N and --output DIR`);
  }
  if (own.output === '') throw new UserError('quickstart: --output names no folder');
  const seed = Number(own.seed ?? 1);
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
    throw new UserError(`quickstart: --seed ${own.seed} is no whole number from 0 to 4294967295`);
  }
  const console = createConsole();
  const interrupt = onInterrupt(() => console.log('stopping (once more to stop at once)'));
  try {
    const done = await quickstart({
      plan: own.short ? shortPlan : fullPlan,
      seed,
      folder: own.output ?? null,
      console,
      signal: interrupt.signal,
    });
    return done ? 0 : 130;
  } finally {
    console.close();
    interrupt.release();
  }
}
