import { spawnSync } from 'node:child_process';
import { describe } from 'vitest';
import { interpreters, isolated } from '../../src/gym/sandbox/index.js';

const limits = { seconds: 20, memoryMb: 256, processes: 16, outputKb: 64, diskMb: 16 };

/** Why isolated tests cannot run here; null where they can. */
export const noBubblewrap: string | null = whyNoBubblewrap();
export const hasBubblewrap = noBubblewrap === null;

/** Why tests that need Python cannot run here; null where they can. */
export const noPython: string | null = interpreters().noPython;
export const hasPython = noPython === null;

/** `describe` where bubblewrap works; elsewhere skipped, with the reason printed. */
export function describeIsolated(name: string, fn: () => void): void {
  describeWhere(noBubblewrap, name, fn);
}

/** `describe` where bubblewrap and Python work. */
export function describeIsolatedPython(name: string, fn: () => void): void {
  describeWhere(noBubblewrap ?? noPython, name, fn);
}

/** `describe` where there is Python; no isolation needed. */
export function describePython(name: string, fn: () => void): void {
  describeWhere(noPython, name, fn);
}

function describeWhere(missing: string | null, name: string, fn: () => void): void {
  if (missing === null) describe(name, fn);
  else {
    console.warn(`skipped: ${name} (${missing})`);
    describe.skip(name, fn);
  }
}

function whyNoBubblewrap(): string | null {
  try {
    const plan = isolated(['true'], { limits, workDirectory: 'tmpfs' });
    const tried = spawnSync(plan.file, plan.args, { env: plan.env, encoding: 'utf8', timeout: 20_000 });
    return tried.status === 0 ? null : tried.stderr.trim() || `bubblewrap ended with ${tried.status ?? tried.signal}`;
  } catch (error) {
    return (error as Error).message;
  }
}
