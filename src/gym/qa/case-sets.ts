import type { CaseSet, Environment } from '../environment/types.js';
import { SandboxError } from '../sandbox/types.js';
import type { Gym } from '../types.js';

/**
 * The cases of every variant, and which variants cannot be used, and why.
 * @throws SandboxError where nothing can be run at all, which says nothing about the variants; the signal's reason
 */
export async function caseSets(
  gym: Gym,
  environment: Environment,
  signal: AbortSignal | undefined,
): Promise<{ readonly sets: readonly CaseSet[]; readonly problems: readonly string[] }> {
  const sets: CaseSet[] = [];
  const problems: string[] = [];
  for (const variant of Object.keys(environment.variants)) {
    try {
      sets.push(await gym.cases(environment, { variant, signal }));
    } catch (error) {
      if (signal?.aborted || (error instanceof SandboxError && error.reason === 'unavailable')) throw error;
      problems.push(`variant ${variant} cannot be used: ${(error as Error).message}`);
    }
  }
  return { sets, problems };
}
