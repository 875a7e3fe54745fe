import { expect, it } from 'vitest';
import type { Case, Environment, ScriptSpec } from '../../../src/gym/environment/types.js';
import { GymError } from '../../../src/gym/gym-error.js';
import { SandboxError } from '../../../src/gym/sandbox/types.js';
import { verify } from '../../../src/gym/verify/index.js';
import { testCases, testEnvironment } from '../make-environment.js';
import { describeIsolatedPython } from '../support.js';
import { isolatedContext } from './context.js';

/** Each line of the file `want` in the case must be a file in the work directory; what was printed is repeated in the message. */
const checker = `
export function check(input, output, expected) {
  const wanted = expected?.files ?? [];
  const checks = wanted.map((path) => ({ id: path, weight: 1, passed: output.files[path]?.text !== undefined, message: null }));
  const printed = expected?.stdout === undefined || output.stdout === expected.stdout;
  return { checks: [...checks, { id: 'printed', weight: 1, passed: printed && output.exit_code === 0, message: output.stdout.slice(0, 200) }] };
}`;

const limits = { caseSeconds: 3, totalSeconds: 30, memoryMb: 256, processes: 32, outputKb: 16, diskMb: 8 };

function environment(script: Partial<ScriptSpec> = {}, over: Partial<Environment> = {}): Environment {
  return testEnvironment({
    kind: 'script',
    name: 'a_script',
    languages: ['bash', 'python'],
    signature: null,
    limits,
    script: {
      entry: { bash: 'answer.sh', python: 'answer.py' },
      files: { 'common.txt': 'common' },
      service: null,
      ...script,
    },
    checker: {
      kind: 'script',
      source: { language: 'javascript', path: 'checker.js', text: checker },
      functionName: 'check',
    },
    ...over,
  });
}

const oneCase = (input: [string, unknown][], expected: [string, unknown][]): Partial<Case> =>
  ({ id: 'one', input: [{ d: input }], expected: { d: expected } }) as Partial<Case>;

describeIsolatedPython('a script', () => {
  const context = isolatedContext();
  const judge = (
    answer: string,
    cases: Partial<Case>[],
    over: Environment = environment(),
    language: 'bash' | 'python' = 'bash',
  ) => verify(context(), over, testCases(cases), answer, language);

  it('runs once per case, in a directory of its own with the files, arguments and variables of the case', async () => {
    const input = (name: string): [string, unknown][] => [
      ['files', { d: [[`in/${name} x.txt`, 'text']] }],
      ['env', { d: [['PLACE', '{{work}}/in']] }],
      ['arguments', ['a b', name]],
      ['stdin', 'typed\n'],
    ];
    const answer =
      'set -e; cd "$PLACE"; ls; cat; echo "$1-$2"; cat "$OLDPWD/common.txt"; [ ! -e "$OLDPWD/left" ]; : > "$OLDPWD/left"';
    const verdict = await judge(answer, [
      { ...oneCase(input('a'), [['stdout', 'a x.txt\ntyped\na b-a\ncommon']]), id: 'a' },
      { ...oneCase(input('b'), [['files', ['left']]]), id: 'b', weight: 3 },
    ]);
    expect(verdict).toMatchObject({ score: 1, passed: true });
    expect(verdict.cases.map(({ id, passed }) => [id, passed])).toEqual([
      ['a/printed', true],
      ['b/left', true],
      ['b/printed', true],
    ]);
  });

  it('earns what its checks say, by the weights of the cases', async () => {
    const verdict = await judge('touch a', [
      { ...oneCase([], [['files', ['a', 'b']]]), weight: 3 },
      { ...oneCase([], [['files', ['c']]]), id: 'two', weight: 1 },
    ]);
    expect(verdict.score).toBeCloseTo((3 * (2 / 3) + 1 / 2) / 4, 9);
    expect(verdict.passed).toBe(false);
  });

  it.each<[how: string, answer: string, error: string, caseSeconds?: number]>([
    ['hangs', 'sleep 60', 'no end within 0.5 s', 0.5],
    ['floods its output', 'yes', 'more than 16 KB of output'],
    ['fails', 'exit 7', 'exit code 7'],
    ['kills itself', 'kill -9 $$', 'killed by signal 9'],
    ['kills everything it sees', 'kill -9 -1; sleep 9', 'it killed the processes around it'],
    ['fills the disk', 'head -c 30000000 /dev/zero > big', ''],
    ['is a fork bomb', ':(){ :|:& };:; sleep 60', '', 0.5],
    ['is no program', 'if then (', 'exit code 2'],
    ['takes its own directory away', 'chmod 000 .; rm -rf "$PWD"; exit 1', 'exit code 1'],
  ])('that %s is judged by what is there, and has only itself to blame', async (_, answer, error, caseSeconds = 3) => {
    const short = environment({}, { limits: { ...limits, caseSeconds } });
    const verdict = await judge(answer, [oneCase([], [['files', ['never']]])], short);
    expect(verdict).toMatchObject({ kind: 'scored', score: 0, passed: false });
    expect(verdict.cases[0]!.error).toContain(error);
  });

  it('whose time for all cases runs out gets nothing for those left', async () => {
    const slow = environment({}, { limits: { ...limits, totalSeconds: 0.5 } });
    const cases = ['a', 'b', 'c'].map((id) => ({ ...oneCase([], []), id }));
    const verdict = await judge('sleep 1', cases, slow);
    expect(verdict).toMatchObject({ truncated: true, score: 0 });
    expect(verdict.cases.at(-1)).toMatchObject({ id: 'c', passed: false, error: 'the 0.5 s for all cases ran out' });
  });

  it('that breaks a checker which judges the reference has no score in that case', async () => {
    const text =
      'export const check = (input, output) => { const n = JSON.parse(output.stdout); if (n < 0) process.exit(1); return n === input.n; };';
    const strict = environment(
      {},
      {
        checker: {
          kind: 'script',
          source: { language: 'javascript', path: 'checker.js', text },
          functionName: 'check',
        },
        references: [{ language: 'bash', path: 'reference.sh', text: 'cat' }],
      },
    );
    const cases = [1, 2, 3].map((n) => ({
      input: [
        {
          d: [
            ['n', n],
            ['stdin', String(n)],
          ],
        },
      ],
    })) as Partial<Case>[];
    expect(await judge('cat', cases, strict)).toMatchObject({ score: 1 });
    const verdict = await judge('read -r n; case $n in 1) echo 1 ;; 2) echo word ;; 3) echo -1 ;; esac', cases, strict);
    expect(verdict).toMatchObject({ score: expect.closeTo(1 / 3, 9), metrics: { checkerFailures: 2 } });
    const because = "the checker fails on this output and passes the reference's: a_script/checker.js: check ";
    expect(verdict.cases.map(({ error }) => error)).toEqual([
      null,
      expect.stringContaining(`${because}raised SyntaxError`),
      expect.stringContaining(`${because}crashed: exit code 1`),
    ]);
  });

  it('finds nothing of the other cases, of the checker, of what is expected, or of this machine', async () => {
    const answer =
      'grep -rlsa "the-expected-text" / --exclude-dir=proc --exclude-dir=sys | head; env; ls -a ~ /tmp; cat /proc/*/cmdline';
    const verdict = await judge(answer, [oneCase([], [['stdout', 'the-expected-text']])]);
    expect(verdict.score).toBe(0);
    expect(verdict.stdout).not.toContain('the-expected-text');
    expect(verdict.stdout).not.toContain('ANNEAL');
  });

  it('in a language that it has no name for, or with a case that makes no sense, is nobody’s answer', async () => {
    const cases = testCases([oneCase([], [])]);
    await expect(verify(context(), environment(), cases, '', 'javascript')).rejects.toThrow(GymError);
    await expect(judge('', [oneCase([['env', 3]], [])])).rejects.toThrow('case one: env: expected a mapping to texts');
  });

  it('gets no verdict where the sandbox fails', async () => {
    const failing = {
      ...context(),
      sandboxes: { ...context().sandboxes, create: () => Promise.reject(new SandboxError('full')) },
    };
    await expect(verify(failing, environment(), testCases([oneCase([], [])]), 'true', 'bash')).rejects.toThrow(
      SandboxError,
    );
  });
});
