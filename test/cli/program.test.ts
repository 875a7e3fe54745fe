import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { run as configSchema } from '../../src/cli/config-schema.js';
import { UserError } from '../../src/config/index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

function anneal(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ANNEAL_STACK: '' },
  });
  return { status, stdout, stderr };
}

test('--help names every command, --version the version', () => {
  const { status, stdout } = anneal('--help');
  expect(status).toBe(0);
  for (const verb of ['train', 'inference', 'merge-lora', 'config-schema', 'quickstart']) {
    expect(stdout).toMatch(new RegExp(`^ {2}${verb} `, 'm'));
  }
  const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string };
  expect(anneal('--version').stdout.trim()).toBe(version);
});

test('a command’s --help shows how overrides are written and how to continue', () => {
  const { stdout } = anneal('train', 'run.yaml', '--help');
  expect(stdout).toContain('--trl.beta=0.1');
  expect(stdout).toContain('--auto-resume-from-checkpoints');
});

test('an unknown command names the nearest one', () => {
  const { status, stderr } = anneal('tran');
  expect(status).toBe(1);
  expect(stderr).toContain('Did you mean train?');
});

test('a wrong use ends with the message, exit code 1 and no stack', () => {
  const { status, stdout, stderr } = anneal('config-schema', '--field', 'learning_rat');
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toBe('error: there is no config key "learning_rat"; did you mean "learning_rate"?\n');
});

test('what is needed for --help loads nothing but commander', () => {
  for (const file of ['main', 'program', 'errors']) {
    const source = readFileSync(`${root}/src/cli/${file}.ts`, 'utf8');
    const imported = [...source.matchAll(/^import (?!type).* from '([^']+)';/gm)].map((match) => match[1]);
    expect(imported.filter((name) => !/^(commander|node:.*|\.\/(program|errors)\.js)$/.test(name!))).toEqual([]);
  }
});

test('config-schema prints JSON or YAML, whole or one key', async () => {
  const output = async (...args: string[]) => {
    const lines: string[] = [];
    expect(await configSchema(args, (text) => lines.push(text))).toBe(0);
    return lines.join('\n');
  };
  const whole = JSON.parse(await output()) as { properties: Record<string, unknown>; additionalProperties: boolean };
  expect(whole.additionalProperties).toBe(false);
  expect(Object.keys(whole.properties)).toContain('learning_rate');
  expect(parse(await output('--format', 'yaml'))).toEqual(whole);
  expect(JSON.parse(await output('--field', 'LR_Scheduler'))).toMatchObject({ default: 'cosine' });
  await expect(output('--format', 'xml')).rejects.toThrow(UserError);
  await expect(output('--feild', 'x')).rejects.toThrow(UserError);
});
