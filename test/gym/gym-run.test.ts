import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { run as runOne } from '../../src/cli/gym/run.js';
import { run as runBatch } from '../../src/cli/gym/run-batch.js';
import { isolationText, shortScore, verdictText } from '../../src/cli/gym/verdict-text.js';
import type { Verdict } from '../../src/gym/verdict.js';
import { testEnvironment } from './make-environment.js';
import { describeIsolatedPython } from './support.js';

let folder: string;
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'anneal-gym-run-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.restoreAllMocks());

async function called(verb: (args: string[]) => Promise<number>, ...args: string[]) {
  const lines: string[] = [];
  let errors = '';
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    errors += text;
    return true;
  });
  const code = await verb(args);
  vi.restoreAllMocks();
  return { code, output: lines.join('\n'), errors };
}

const coins = `def coin_change(coins, amount):
    best = [0] + [None] * amount
    for total in range(1, amount + 1):
        found = [best[total - coin] for coin in coins if coin <= total and best[total - coin] is not None]
        best[total] = min(found) + 1 if found else None
    return -1 if best[amount] is None else best[amount]
`;
const greedy = `def coin_change(coins, amount):
    used = 0
    for coin in sorted(coins, reverse=True):
        used, amount = used + amount // coin, amount % coin
    return -1 if amount else used
`;

describe('anneal gym run', () => {
  it.each([
    [['coin_chang', '--solution', 'x'], 'there is no environment "coin_chang". Did you mean coin_change?'],
    [['coin_change'], 'needs --solution FILE'],
    [[], 'needs an environment'],
    [['coin_change', 'two_sum', '--solution', 'x'], 'takes one argument'],
    [['coin_change', '--solution', '/nowhere/answer.py'], 'There is no file /nowhere/answer.py'],
    [['coin_change', '--solution', '/'], '/ is a folder'],
    [['coin_change', '--solutio', 'x'], 'did you mean "--solution"'],
    [['coin_change', '--solution', 'x', '--sandbox', 'locla'], 'did you mean "local"?'],
    [['coin_change', '--solution', 'x', '--sandbox'], '--sandbox'],
  ])('%j ends with 2 and says why', async (args, message) => {
    const { code, output, errors } = await called(runOne, ...args);
    expect([code, output]).toEqual([2, '']);
    expect(errors).toContain(message);
  });

  it('says so in JSON where that was asked for', async () => {
    const { code, output, errors } = await called(runOne, 'coin_change', '--solution', '/nowhere', '--json');
    expect([code, errors]).toEqual([2, '']);
    expect(JSON.parse(output)).toMatchObject({ kind: 'noVerdict', cause: 'environment' });
  });
});

describeIsolatedPython('anneal gym run', () => {
  it('shows what passed and what did not', async () => {
    const passed = await called(runOne, 'coin_change', '--solution', file('right.py', coins));
    expect(passed).toMatchObject({ code: 0, errors: '' });
    expect(passed.output).toMatch(/^coin_change: passed, score 1 · 25 of 25 cases/);
    expect(passed.output).toMatch(/\nsandbox: local \(bubblewrap\), [^\n]*isolated[^\n]*$/);
    const failed = await called(runOne, 'coin_change', '--solution', file('greedy.py', greedy));
    expect(failed.code).toBe(1);
    expect(failed.output).toMatch(/not passed, score 0\.\d+ · \d+ of 25 cases/);
    expect(failed.output).toMatch(/input {5}\[1, 3, 4\], 6\n {4}expected {2}2\n {4}actual {4}3/);
    expect(failed.output).toMatch(/and \d+ more that did not pass/);
  });

  it('prints one verdict as JSON, and stores a trace', async () => {
    const answer = file('said.md', `So:\n\n\`\`\`python\n${coins}\`\`\`\nThat is it.`);
    const traces = join(folder, 'traces');
    const args = ['coin_change', '--solution', answer, '--extract', '--variant', 'eval', '--traces', traces, '--json'];
    const { code, output } = await called(runOne, ...args);
    const verdict = JSON.parse(output) as Verdict;
    expect([code, verdict.kind]).toEqual([0, 'scored']);
    const [stored] = readdirSync(traces);
    const trace = JSON.parse(readFileSync(join(traces, stored!), 'utf8').trim());
    expect(trace).toMatchObject({ environment: 'coin_change', variant: 'eval', kind: 'run' });
    expect(trace.messages.at(-1).content).toContain('That is it.');
  });

  it('lists what the sandbox has in force where that is asked for', async () => {
    const { output } = await called(runOne, 'coin_change', '--solution', file('right.py', coins), '--verbose');
    expect(output).toMatch(/\nsandbox: local \(bubblewrap\)\n/);
    expect(output).toMatch(/^ {2}in force {2}no network$/m);
  });

  it('takes a byte order mark and any ends of lines, and refuses what is no UTF-8', async () => {
    const odd = await called(
      runOne,
      'coin_change',
      '--solution',
      file('odd.py', `\ufeff${coins.replaceAll('\n', '\r\n')}`),
    );
    expect(odd.code).toBe(0);
    writeFileSync(join(folder, 'latin.py'), Buffer.concat([Buffer.from([0x23, 0xe9, 0x0a]), Buffer.from(coins)]));
    const latin = await called(runOne, 'coin_change', '--solution', join(folder, 'latin.py'), '--json');
    expect(latin.code).toBe(2);
    expect(JSON.parse(latin.output).message).toContain('latin.py is not valid UTF-8');
  });

  it('judges nothing where the trace could not be stored', async () => {
    const args = ['coin_change', '--solution', file('right.py', coins), '--traces', file('no-folder', ''), '--json'];
    const { code, output } = await called(runOne, ...args);
    expect(code).toBe(2);
    expect(JSON.parse(output).message).toMatch(/--traces .*no-folder: no folder can be written there/);
  });

  it('shows what would steer a terminal', async () => {
    const evil = 'print("\\x1b[2J" * 2)\nraise ValueError("\\x1b[31m\\x07red")\n';
    const { output } = await called(runOne, 'coin_change', '--solution', file('evil.py', evil));
    expect(output).toContain('ValueError: \\x1b[31m\\x07red');
    expect([output.includes('\x1b'), output.includes('\x07')]).toEqual([false, false]);
  });

  it('gives no verdict for an unknown variant', async () => {
    const { code, output } = await called(runOne, 'coin_change', '--solution', file('a.py', coins), '--variant', 'evl');
    expect(code).toBe(2);
    expect(output).toContain('no verdict (environment)');
    expect(output).toContain('did you mean "eval"');
  });
});

describeIsolatedPython('anneal gym run-batch', () => {
  it('judges a folder in the order of the names, each answer in the language of its file', async () => {
    const answers = join(folder, 'answers');
    mkdirSync(answers);
    writeFileSync(join(answers, 'b.py'), coins);
    writeFileSync(join(answers, 'a.py'), greedy);
    writeFileSync(join(answers, 'c.js'), 'export function coinChange(coins, amount) { return 0 }');
    writeFileSync(join(answers, '.hidden'), 'no answer');
    const { code, output } = await called(runBatch, 'coin_change', '--solutions-dir', answers, '--json');
    expect(code).toBe(1);
    const report = JSON.parse(output);
    expect(report).toMatchObject({ environment: 'coin_change', total: 3, passed: 1, noVerdict: 0 });
    expect(report.results.map((one: { file: string }) => one.file)).toEqual(['a.py', 'b.py', 'c.js']);
    expect(report.results[1]).toMatchObject({ kind: 'scored', score: 1 });
    const shown = await called(runBatch, 'coin_change', '--solutions-dir', answers, '--workers', '2');
    expect(shown.output).toContain('1 of 3 passed');
    expect(shown.output).toMatch(/^a\.py +not passed/m);
  });

  it('takes the code out of what a model wrote, and keeps a name on its line', async () => {
    const answers = join(folder, 'written');
    mkdirSync(answers);
    writeFileSync(join(answers, 'a.md'), `So:\n\`\`\`python\n${coins}\`\`\`\n`);
    writeFileSync(join(answers, 'b\n\x1b[31m.py'), coins);
    const { code, output } = await called(runBatch, 'coin_change', '--solutions-dir', answers);
    expect(code).toBe(0);
    expect(output).toMatch(/^a\.md +passed/m);
    expect(output).toMatch(/^b\\n\\x1b\[31m\.py +passed/m);
  });

  it('says once why nobody could judge', async () => {
    const answers = join(folder, 'answers');
    const { code, output } = await called(runBatch, 'coin_change', '--solutions-dir', answers, '--variant', 'trian');
    expect(code).toBe(2);
    expect(output.match(/did you mean "train"/g)).toHaveLength(1);
    expect(output.split('\n')[1]).toMatch(/^a\.py +no verdict +– +environment: coin_change has no variant.*…$/);
    expect(output).toMatch(/\nno verdict:\n {2}environment: [^\n]+\n/);
  });

  it.each([
    [['--solutions-dir', '/nowhere'], 'There is no folder /nowhere'],
    [['--solutions-dir', '/dev/null'], 'is a file'],
    [[], 'needs --solutions-dir'],
    [['--solutions-dir', '/', '--workers', 'many'], '--workers many'],
  ])('%j ends with 2 and says why', async (args, message) => {
    const { code, errors } = await called(runBatch, 'coin_change', ...args);
    expect(code).toBe(2);
    expect(errors).toContain(message);
  });
});

describe('a score', () => {
  it.each([
    [0, '0'],
    [1, '1'],
    [0.1 + 0.2, '0.3'],
    [2 / 3, '0.667'],
    [0.9996, '0.999'],
    [0.0001, '0.001'],
  ])('%d is shown as %s', (score, shown) => expect(shortScore(score)).toBe(shown));
});

describe('the line on the sandbox', () => {
  const capabilities = (missing: readonly string[], isolated = true) => ({
    name: 'local' as const,
    isolated,
    inForce: ['no network', 'own process tree: others are neither seen nor signalled'],
    missing,
    languages: { python: null, javascript: null, bash: null },
  });
  it('is short, and names what is missing', () => {
    expect(isolationText(capabilities([]))).toBe('sandbox: local (bubblewrap), fully isolated');
    expect(isolationText(capabilities(['system call filter: ptrace was let through', 'disk limit: wrote 18 MB']))).toBe(
      'sandbox: local (bubblewrap), isolated, but without system call filter, disk limit (--verbose says more)',
    );
    expect(isolationText({ ...capabilities([], false), name: 'none' })).toContain('NOT ISOLATED');
  });
});

describe('the text of a verdict', () => {
  it('says how often nobody could judge', () => {
    const verdict: Verdict = { kind: 'noVerdict', cause: 'sandbox', message: 'out of space', retries: 2, ms: 1 };
    expect(verdictText(testEnvironment(), verdict)).toBe(
      'double: no verdict (sandbox) after 3 attempts\n  out of space',
    );
  });

  it('shows the parts of a score and what a failing answer wrote', () => {
    const verdict: Verdict = {
      kind: 'scored',
      score: 0.7,
      passed: false,
      cases: [],
      rewardComponents: { correctness: 0.7, rules: 0 },
      metrics: {},
      truncated: false,
      details: 'has no loop',
      stdout: 'one\ntwo\n',
      stderr: '',
      ms: 3.2,
    };
    expect(verdictText(testEnvironment(), verdict)).toBe(
      'double: not passed, score 0.7 · has no loop · 3 ms\n  correctness 0.7, rules 0\n\n  stdout:\n    one\n    two',
    );
  });
});
