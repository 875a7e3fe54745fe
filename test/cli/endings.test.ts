import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { root, tinyKeys, writeRows } from '../run/support.js';

// How a process ends when it is not by a command's own return.

let directory: string;
const command = ['--import', 'tsx', 'src/cli/main.ts', 'train'];

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'anneal-test-'));
  writeRows(directory, 16);
  writeFileSync(join(directory, 'prompts.jsonl'), '{"prompt": "2 plus 3?"}\n'.repeat(4));
  writeFileSync(
    join(directory, 'rewards.ts'),
    `export const exits = () => process.exit(0);
     export const waits = () => new Promise(() => {});
     export const strays = (_: unknown, answers: string[]) => {
       void Promise.reject(new Error('forgotten'));
       return answers.map(() => 1);
     };`,
  );
  writeFileSync(join(directory, 'sft.yaml'), stringify(tinyKeys(directory, { output_dir: join(directory, 'sft') })));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test.each([
  ['exits', /^error: ended before the work was done/m],
  ['waits', /^error: ended before the work was done/m],
  ['strays', /^error: a promise was rejected and nothing waits for it.*forgotten/m],
])('a reward that %s is told, and the run counts as failed', (name, message) => {
  const path = join(directory, `${name}.yaml`);
  writeFileSync(
    path,
    stringify(
      tinyKeys(directory, {
        datasets: [{ path: join(directory, 'prompts.jsonl'), type: 'prompt' }],
        rl: 'grpo',
        trl: { num_generations: 4, max_completion_length: 4, reward_funcs: [`${directory}/rewards.ts#${name}`] },
        output_dir: join(directory, name),
      }),
    ),
  );
  const { status, stderr } = spawnSync(process.execPath, [...command, path], { cwd: root, encoding: 'utf8' });
  expect(stderr).toMatch(message);
  expect(status).toBe(1);
});

test('a run goes on when the pipe that showed its progress closes', async () => {
  const child = spawn(process.execPath, [...command, join(directory, 'sft.yaml')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.once('data', () => child.stderr.destroy());
  const code = await new Promise((resolve) => child.on('exit', resolve));
  expect(code).toBe(0);
  expect(existsSync(join(directory, 'sft', 'model.safetensors'))).toBe(true);
});
