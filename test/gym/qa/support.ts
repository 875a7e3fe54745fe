import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Environment, loadEnvironment } from '../../../src/gym/environment/index.js';

const yaml = (rest: string) => `
name: Second largest
kind: function
languages: [python]
difficulty: easy
domain: coding
family: arrays
licence: Apache-2.0
provenance: Written for this test.
limits: {case_seconds: 1, total_seconds: 5}
function: {name: second, parameters: {numbers: "list[int]"}, returns: "int | None"}
${rest}
`;

export const reference = `def second(numbers):
    different = sorted(set(numbers))
    if len(different) < 2:
        return None
    return different[-2]
`;

export const generator = `export function generate({ count, seed }) {
  let state = seed;
  const next = (limit) => { state = (state * 48271) % 2147483647; return state % limit; };
  return Array.from({ length: count }, (_, at) => ({
    input: [at % 6 === 5 ? [at + seed] : Array.from({ length: 3 + next(5) }, () => next(1000))],
  }));
}
`;

/** The folder of an environment that passes, with some of its files replaced or left out. */
export async function environmentWith(
  files: Readonly<Record<string, string | null>> = {},
  settings = '',
): Promise<Environment & { remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'anneal-qa-env-'));
  const all = {
    'task.md': 'Write a function that returns the second largest of the different numbers, or None.\n',
    'environment.yaml': yaml(settings),
    'generator.js': generator,
    'reference.py': reference,
    'bad/largest.py': 'def second(numbers):\n    return max(numbers)\n',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    if (text === null) continue;
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const environment = await loadEnvironment(folder);
  return { ...environment, remove: () => rm(folder, { recursive: true }) };
}
