import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { run as audit } from '../../../src/cli/gym/audit.js';
import { run as evaluate } from '../../../src/cli/gym/eval.js';
import { run as list } from '../../../src/cli/gym/list.js';
import { run as qa } from '../../../src/cli/gym/qa.js';
import { run as judge } from '../../../src/cli/gym/run.js';
import { run as judgeAll } from '../../../src/cli/gym/run-batch.js';
import { run as serve } from '../../../src/cli/gym/serve.js';
import { run as show } from '../../../src/cli/gym/show.js';

const folder = mkdtempSync(join(tmpdir(), 'no-sandbox-'));
const answers = mkdtempSync(join(folder, 'answers-'));
const answer = join(answers, 'coin_change.js');
writeFileSync(answer, 'export function coinChange() { return -1; }\n');
const document = 'cyber/web_path_traversal_toy';

/** A PATH with nothing on it but a bubblewrap that the kernel gives no namespaces. */
const forbidding = mkdtempSync(join(folder, 'bin-'));
const bwrap = join(forbidding, 'bwrap');
writeFileSync(bwrap, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n');
chmodSync(bwrap, 0o755);

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const commands: readonly (readonly [string, (args: string[]) => Promise<number>, string[]])[] = [
  ['run', judge, ['coin_change', '--solution', answer]],
  ['run-batch', judgeAll, ['coin_change', '--solutions-dir', answers]],
  ['eval', evaluate, ['--suite', 'coin_change', '--solutions-dir', answers]],
  ['qa', qa, ['coin_change']],
  ['audit', audit, ['coin_change', 'two_sum']],
  ['serve', serve, ['--port', '0', '--no-auth']],
  ['show --cases', show, ['coin_change', '--cases']],
  ['show of a document', show, [document]],
];

describe.skipIf(platform() !== 'linux').each([
  ['without bubblewrap', join(folder, 'nowhere'), 'there is no bwrap on the PATH'],
  ['where the kernel gives no namespaces', forbidding, 'needs namespaces, and the kernel forbids them'],
])('%s', (_, path, reason) => {
  const output = async (command: (args: string[]) => Promise<number>, args: string[]) => {
    vi.stubEnv('PATH', path);
    const [out, err]: string[][] = [[], []];
    vi.spyOn(console, 'log').mockImplementation((text: string) => void out!.push(text));
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => err!.push(String(text)) > 0);
    return { code: await command(args), out: out!.join('\n'), err: err!.join('') };
  };

  it.each(commands)('%s ends with 2 and says why', async (_name, command, args) => {
    const { code, out, err } = await output(command, args);
    expect(out + err).toContain(reason);
    expect(code).toBe(2);
  });

  it.each(commands)('%s --json has no verdict in its one line', async (_name, command, args) => {
    const { code, out, err } = await output(command, [...args, '--json']);
    expect({ code, err }).toEqual({ code: 2, err: '' });
    expect(JSON.stringify(JSON.parse(out))).toMatch(/"cause":"sandbox","message":"the local sandbox needs/);
  });

  it('what runs nothing works', async () => {
    expect((await output(list, ['--suite', 'coin_change'])).code).toBe(0);
    expect((await output(show, ['coin_change'])).code).toBe(0);
  });
});
