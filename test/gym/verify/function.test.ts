import { describe, expect, it } from 'vitest';
import type { Checker } from '../../../src/gym/environment/types.js';
import type { Value } from '../../../src/gym/value.js';
import { VerifierError, verify } from '../../../src/gym/verify/index.js';
import { type FakeCall, fakeContext, fakeRunner, testCases, testEnvironment } from '../make-environment.js';

const double: FakeCall = ([n]) => 2 * (n as number);
const script: Checker = {
  kind: 'script',
  functionName: 'check',
  source: { language: 'javascript', path: 'checker.js', text: 'export function check() {}' },
};
const int = { kind: 'int' } as const;

async function judged(
  call: FakeCall,
  overrides: Parameters<typeof testEnvironment>[0] = {},
  cases = testCases(),
  { answer = 'def double(n): ...', language = 'python' as const, result = {} } = {},
) {
  const runner = fakeRunner(call, result);
  const verdict = await verify(fakeContext(runner), testEnvironment(overrides), cases, answer, language);
  return { verdict, jobs: runner.jobs };
}

describe('an answer that is a function', () => {
  it('passes with all cases', async () => {
    const { verdict, jobs } = await judged(double);
    expect(verdict).toMatchObject({
      kind: 'scored',
      score: 1,
      passed: true,
      details: '4 of 4 cases',
      truncated: false,
    });
    expect(verdict.cases[2]).toEqual({
      id: 'case_2',
      passed: true,
      score: 1,
      input: '3',
      expected: '6',
      actual: '6',
      error: null,
      ms: 1,
    });
    expect(jobs).toHaveLength(1);
    expect(JSON.stringify(jobs[0])).not.toContain('expected');
    expect(jobs[0]).not.toHaveProperty('trusted');
  });

  it('says of each case how it failed', async () => {
    const { verdict } = await judged(([n]) => {
      if (n === 1) return { kind: 'error', type: 'ValueError', message: 'no' };
      if (n === 2) return { kind: 'timeout' };
      if (n === 3) return { kind: 'crash', message: 'killed by SIGSEGV' };
      return { t: [8] };
    });
    expect(verdict.score).toBe(0);
    expect(verdict.cases.map((one) => one.error)).toEqual([
      'ValueError: no',
      'the 20 s for all cases ran out',
      'crashed: killed by SIGSEGV',
      'wrong type: tuple for int',
    ]);
    expect(verdict.cases[3]?.actual).toBe('(8,)');
  });

  it('is scored by weights, and groups pass as a whole', async () => {
    const cases = testCases([
      { input: [1], expected: 2, weight: 3 },
      { input: [2], expected: 4, group: 'pair' },
      { input: [3], expected: 7, group: 'pair' },
    ]);
    const { verdict } = await judged(double, {}, cases);
    expect(verdict.score).toBe(0.6);
    expect(verdict.cases.map((one) => [one.passed, one.error])).toEqual([
      [true, null],
      [false, 'counts together with case_2, which did not pass'],
      [false, '6, expected 7'],
    ]);
    expect((await judged(double, { passThreshold: 0.6 }, cases)).verdict.passed).toBe(true);
    expect((await judged(double, { passThreshold: 0.7 }, cases)).verdict.passed).toBe(false);
  });

  it('scores 0 when it does not load, has no such function, or does not parse', async () => {
    const failed = { kind: 'load-failed', calls: [], problem: 'SyntaxError: invalid syntax (line 3)' } as const;
    expect((await judged(double, {}, testCases(), { result: failed })).verdict).toMatchObject({
      score: 0,
      passed: false,
      details: 'SyntaxError: invalid syntax (line 3)',
      cases: [],
    });
    const missing = { kind: 'no-function', calls: [], problem: null } as const;
    expect((await judged(double, {}, testCases(), { result: missing })).verdict.details).toBe(
      'there is no function double',
    );
    const { verdict, jobs } = await judged(double, {}, testCases(), {
      answer: 'function double(n: number) { return n * ; }',
      language: 'typescript' as never,
    });
    expect(verdict.score).toBe(0);
    expect(verdict.details).toMatch(/^SyntaxError: /);
    expect(jobs).toHaveLength(0);
  });

  it('is not run when it is longer than half a million characters', async () => {
    const { verdict, jobs } = await judged(double, {}, testCases(), { answer: '#'.repeat(10_000_000) });
    expect(verdict).toMatchObject({ score: 0, passed: false });
    expect(verdict.details).toContain('10000000 characters');
    expect(jobs).toHaveLength(0);
  });

  it('may be TypeScript', async () => {
    const { verdict, jobs } = await judged(double, {}, testCases(), {
      answer:
        'enum Two { value = 2 }\nexport function double(n: number): number { return n * Two.value satisfies number; }',
      language: 'typescript' as never,
    });
    expect(verdict.score).toBe(1);
    expect(jobs[0]).toMatchObject({ language: 'javascript' });
    expect(jobs[0]?.source).not.toContain(': number');
  });

  it('in JavaScript gets the distinctions that the language has not', async () => {
    const signature = {
      names: { python: 'pair', javascript: 'pair' },
      parameters: [{ name: 'n', type: int }],
      returns: { kind: 'tuple', of: [int, { kind: 'float' }] },
    } as const;
    const expected: Value = { t: [1, { f: '2.0' }] };
    const overrides = { signature, checker: { kind: 'exact' } } as const;
    const cases = testCases([{ input: [1], expected }]);
    const javascript = await judged(() => [1, 2], overrides, cases, { language: 'javascript' as never });
    expect(javascript.verdict.score).toBe(1);
    const python = await judged(() => [1, 2], overrides, cases);
    expect(python.verdict.score).toBe(0);
  });

  it('says when the total time cut it short', async () => {
    const { verdict } = await judged(double, {}, testCases(), { result: { outOfTime: true } });
    expect(verdict.truncated).toBe(true);
    expect(verdict.details).toContain('cut short');
  });
});

describe('a checker script', () => {
  const withChecker = (check: (input: readonly Value[]) => ReturnType<FakeCall>, solve: FakeCall = double) =>
    judged((input, job) => (job.trusted ? check(input) : solve(input, job)), { checker: script });

  it('gets input, output and expected value, in a trusted job of its own, and only what was returned', async () => {
    const { verdict, jobs } = await withChecker(
      () => true,
      ([n]) => (n === 2 ? { kind: 'timeout' } : 2 * (n as number)),
    );
    expect(jobs[1]).toMatchObject({ trusted: true, functionName: 'check', language: 'javascript' });
    expect(jobs[1]?.calls).toEqual([
      [[1], 2, 2],
      [[3], 6, 6],
      [[4], 8, 8],
    ]);
    expect(verdict.score).toBe(0.75);
  });

  it.each<[string, Value, number, boolean]>([
    ['a bool', false, 0, false],
    ['a number', { f: '0.5' }, 0.5, false],
    ['an int', 1, 1, true],
    [
      'a score and passed',
      {
        d: [
          ['score', { f: '0.9' }],
          ['passed', true],
        ],
      },
      0.9,
      true,
    ],
    [
      'passed alone',
      {
        d: [
          ['passed', true],
          ['message', null],
        ],
      },
      1,
      true,
    ],
    [
      'checks',
      {
        d: [
          [
            'checks',
            [
              {
                d: [
                  ['passed', true],
                  ['weight', 3],
                ],
              },
              {
                d: [
                  ['id', 'b'],
                  ['passed', false],
                ],
              },
            ],
          ],
        ],
      },
      0.75,
      false,
    ],
  ])('may return %s', async (_name, value, score, passed) => {
    const { verdict } = await withChecker(() => value);
    expect(verdict.score).toBe(score);
    expect(verdict.cases[0]?.passed).toBe(passed);
  });

  it.each([
    ['NaN', { f: 'nan' }],
    ['more than 1', 2],
    ['less than 0', { f: '-0.5' }],
    ['NaN as a score', { d: [['score', { f: 'nan' }]] }],
    ['a text', 'passed'],
    ['nothing', null],
    ['an empty dict', { d: [] }],
    ['an unknown key', { d: [['scores', 1]] }],
    ['a passed that is no bool', { d: [['passed', 1]] }],
    ['an error', { kind: 'error', type: 'TypeError', message: 'x is undefined' }],
    ['no answer in time', { kind: 'timeout' }],
    ['a crash', { kind: 'crash', message: 'exit code 1' }],
  ] as [string, ReturnType<FakeCall>][])(
    'that gives %s is the environment’s failure, not the answer’s',
    async (_name, value) => {
      await expect(withChecker(() => value)).rejects.toThrow(VerifierError);
      await expect(withChecker(() => value)).rejects.toThrow('double/checker.js');
    },
  );
});

describe('a checker script that fails on an output', () => {
  const reference = { language: 'python', path: 'reference.py', text: 'def double(n): return 2 * n' } as const;
  const failure = { kind: 'error', type: 'TypeError', message: 'x is undefined' } as const;
  /** The answer gives -1 for 2 and 3. */
  const withReference = (check: (output: Value, call: number) => ReturnType<FakeCall>, references = [reference]) => {
    let checked = 0;
    return judged(
      (input, job) => {
        if (job.functionName === 'check') return check(input[1]!, checked++);
        const [n] = input as [number];
        return !job.trusted && (n === 2 || n === 3) ? -1 : 2 * n;
      },
      { checker: script, references },
    );
  };

  it('and not on the reference’s counts that case 0, and says and counts it', async () => {
    const { verdict, jobs } = await withReference((output) => (output === -1 ? failure : true));
    expect(verdict).toMatchObject({ score: 0.5, metrics: { cases: 4, casesPassed: 2, checkerFailures: 2 } });
    expect(verdict.cases[1]).toMatchObject({
      passed: false,
      error:
        "the checker fails on this output and passes the reference's: double/checker.js: check raised TypeError: x is undefined",
    });
    // the reference on those cases, then both outputs of each
    expect(jobs[2]).toMatchObject({ source: reference.text, trusted: true, calls: [[2], [3]] });
    expect(jobs[3]?.calls.map((call) => call[1])).toEqual([4, 6, -1, -1]);
  });

  it.each([
    ['hangs', { kind: 'timeout' }],
    ['exits', { kind: 'crash', message: 'exit code 1' }],
    ['returns NaN', { f: 'nan' }],
  ] as [string, ReturnType<FakeCall>][])('may be one that %s', async (_name, given) => {
    const { verdict } = await withReference((output) => (output === -1 ? given : true));
    expect(verdict).toMatchObject({ score: 0.5, metrics: { checkerFailures: 2 } });
  });

  it('once, and not again, is believed the second time', async () => {
    const { verdict } = await withReference((output, call) => (call === 1 ? failure : output !== -1));
    expect(verdict).toMatchObject({ score: 0.5, metrics: { cases: 4, casesPassed: 2 } });
    expect(verdict.metrics).not.toHaveProperty('checkerFailures');
  });

  it('and on the reference’s as well, or refuses that, gives nobody a verdict', async () => {
    await expect(withReference(() => failure)).rejects.toThrow(VerifierError);
    await expect(withReference((output) => (output === -1 ? failure : output === 2 || output === 8))).rejects.toThrow(
      VerifierError,
    );
  });

  it('gives nobody a verdict where there is no reference', async () => {
    await expect(withReference((output) => (output === -1 ? failure : true), [])).rejects.toThrow(VerifierError);
  });
});

describe('rules about the text', () => {
  const rules = { javascript: { forbid: ['Array.sort'], require: ['loop'] } };
  const answers = (answer: string, overrides = {}, call = double) =>
    judged(call, { rules, ...overrides }, testCases(), { answer, language: 'javascript' as never });

  it('cap the score of what breaks them', async () => {
    const { verdict } = await answers('function double(n) { return [n].sort()[0] * 2 }');
    expect(verdict.score).toBe(0.3);
    expect(verdict.passed).toBe(false);
    expect(verdict.details).toBe('4 of 4 cases; uses .sort (line 1); has no loop');
    expect(verdict.metrics).toMatchObject({ rulesBroken: 2 });
  });

  it('have a part of the score, which a wrong answer does not get', async () => {
    const weights = { correctness: 0.7, rules: 0.3 };
    const kept = 'function double(n) { let t = 0; while (t < 2 * n) t++; return t }';
    expect((await answers(kept, { weights })).verdict).toMatchObject({
      score: 1,
      rewardComponents: { correctness: 0.7, rules: 0.3 },
    });
    expect((await answers(kept, { weights }, () => 0)).verdict.score).toBe(0);
    expect((await answers('function double(n) { return 2 * n }', { weights, ruleBreakCap: 1 })).verdict).toMatchObject({
      score: 0.7,
      rewardComponents: { correctness: 0.7, rules: 0 },
    });
  });
});
