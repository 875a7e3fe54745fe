import { readFile } from 'node:fs/promises';
import { gymAsset } from '../assets.js';
import type { SourceRules } from '../environment/types.js';
import type { JobLimits } from '../runner/types.js';
import type { GymContext } from '../types.js';
import { VerifierError } from './verifier-error.js';

const limits: JobLimits = { caseSeconds: 5, totalSeconds: 10, memoryMb: 512, processes: 16, outputKb: 16 };

let rulesText: Promise<string> | undefined;

/** Python's own parser decides, in a process that runs nothing of the answer. */
export async function brokenInPython(
  context: GymContext,
  source: string,
  rules: SourceRules,
  functionName: string,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  rulesText ??= readFile(gymAsset('drivers/python_rules.py'), 'utf8');
  const job = await context.runner.run(
    {
      language: 'python',
      source: await rulesText,
      functionName: 'broken_rules',
      calls: [[source, rules.forbid, rules.require, functionName]],
      limits,
      trusted: true,
    },
    signal,
  );
  const outcome = job.calls[0];
  if (job.kind !== 'ran' || outcome === undefined) {
    throw new VerifierError(`python_rules.py: ${job.problem ?? 'it did not load'}`);
  }
  if (outcome.kind === 'value') {
    const { value } = outcome;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value as string[];
    throw new VerifierError('python_rules.py returned no list of texts');
  }
  // The only thing that differs from one call to the next is the answer's text.
  return ["is written so that Python's parser fails on it"];
}
