import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { loadEnvironment } from '../../../src/gym/environment/index.js';

const made: string[] = [];
afterAll(() => {
  for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
});

export type Files = Readonly<Record<string, string | Uint8Array | null>>;

/** Writes files into a new folder and gives its path. */
export function folder(files: Files): string {
  const directory = mkdtempSync(join(tmpdir(), 'anneal-gym-'));
  made.push(directory);
  for (const [path, content] of Object.entries(files)) {
    if (content === null) continue;
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  return directory;
}

export const definition = `name: Double
kind: function
languages: [python, javascript]
function:
  name: double_it
  parameters: {values: "list[int]", factor: "float | None"}
  returns: "list[float]"
`;

/** The files of an environment that is in order. */
export const good: Files = {
  'environment.yaml': definition,
  'task.md': 'Double the values.',
  'cases.yaml': '- {id: one, input: {values: [1, 2], factor: 2}, expected: [2, 4]}\n- {input: [[3], null]}\n',
  'reference.py': 'def double_it(values, factor):\n    return [v * (factor or 1.0) for v in values]\n',
  'reference.js': 'export const doubleIt = (values, factor) => values.map((v) => v * (factor ?? 1));\n',
};

/** What loading a folder complains about, with the folder's own path left out. null removes a file of `good`. */
export async function complaints(changes: Files): Promise<string[]> {
  const directory = folder({ ...good, ...changes });
  try {
    await loadEnvironment(directory);
  } catch (error) {
    return (error as Error).message.replaceAll(`${directory}/`, '').replaceAll(directory, '.').split('\n');
  }
  return [];
}
