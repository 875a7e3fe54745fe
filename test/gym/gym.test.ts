import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openGym } from '../../src/gym/gym.js';
import { judge } from '../../src/gym/judge.js';
import { createLimiter } from '../../src/gym/limiter.js';
import { openSandboxes } from '../../src/gym/sandbox/index.js';
import { SandboxError, type SandboxProvider } from '../../src/gym/sandbox/types.js';
import type { Gym } from '../../src/gym/types.js';
import type { NoVerdict, Scored, Verdict } from '../../src/gym/verdict.js';
import { VerifierError } from '../../src/gym/verify/index.js';
import { testEnvironment } from './make-environment.js';
import { describeIsolatedPython } from './support.js';

const environment = testEnvironment();
const right = 'def double(n):\n    return 2 * n';
const javascript = 'export function double(n) { return 2 * n }';

function expectNoVerdict(verdict: Verdict, expected: Partial<NoVerdict>) {
  expect(verdict).toMatchObject({ kind: 'noVerdict', ...expected });
}

describe('a verdict', () => {
  const passed = { kind: 'scored', score: 1 } as Scored;
  const failing = (errors: readonly Error[]) => {
    let attempts = 0;
    return async () => {
      const error = errors[attempts++];
      if (error !== undefined) throw error;
      return passed;
    };
  };

  it('is tried for again when the sandbox or the verifier failed', async () => {
    const errors = [new SandboxError('killed'), new VerifierError('checker.js: out of luck')];
    expect(await judge(failing(errors), { retries: 2 })).toBe(passed);
    expectNoVerdict(await judge(failing(errors), { retries: 1 }), {
      cause: 'verifier',
      message: 'checker.js: out of luck',
      retries: 1,
    });
  });

  it('is not tried for where that cannot help', async () => {
    const missing = new SandboxError('no bwrap on the PATH', { reason: 'unavailable' });
    expectNoVerdict(await judge(failing([missing]), { retries: 5 }), { cause: 'sandbox', retries: 0 });
    expectNoVerdict(await judge(failing([new TypeError('a bug')]), { retries: 5 }), { cause: 'verifier', retries: 0 });
  });

  it('says when a remote sandbox was silent', async () => {
    const silent = new SandboxError('no answer', { reason: 'timeout' });
    expectNoVerdict(await judge(failing([silent]), { retries: 0 }), { cause: 'timeout', message: 'no answer' });
  });

  it('is not given after an abort', async () => {
    expectNoVerdict(await judge(failing([]), { retries: 2, signal: AbortSignal.abort() }), { cause: 'aborted' });
  });
});

describe('what a caller without types may get wrong', () => {
  it.each([
    [{ sandbox: 'locl' }, 'there is no locl; there are local, daytona, e2b, none; did you mean "local"?'],
    [{ workers: 0 }, 'workers: 0'],
    [{ retries: Number.NaN }, 'retries: NaN'],
  ])('options %j', async (options, message) => {
    await expect(openGym(options as Parameters<typeof openGym>[0])).rejects.toThrow(message);
  });

  it('is told, and not judged', async () => {
    const gym = await openGym();
    await expect(gym.run(environment, undefined as never)).rejects.toThrow('answer 0 is no text');
    await expect(gym.runBatch(environment, [right, 5 as never])).rejects.toThrow('answer 1 is no text: 5');
    await expect(gym.runBatch(environment, right as never)).rejects.toThrow('no list of texts');
    await expect(gym.run('coin_change' as never, right)).rejects.toThrow('loadEnvironment');
    await gym.dispose();
  });
});

describe('a limiter', () => {
  it('runs tasks in order, no more at a time than it may', async () => {
    const limited = createLimiter(3);
    let running = 0;
    let most = 0;
    const started: number[] = [];
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        limited(async () => {
          started.push(index);
          most = Math.max(most, ++running);
          await new Promise((resolve) => setImmediate(resolve));
          running--;
          if (index % 7 === 0) throw new Error('failed');
          return index;
        }),
      ),
    );
    expect(most).toBe(3);
    expect(started).toEqual([...started].sort((a, b) => a - b));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(8);
  });

  it('lets go of a task whose signal is aborted before its turn', async () => {
    const limited = createLimiter(1);
    const leaving = new AbortController();
    const ran: string[] = [];
    let end = () => {};
    const first = limited(() => new Promise<void>((resolve) => (end = resolve)));
    const second = limited(async () => ran.push('second'), leaving.signal);
    const third = limited(async () => ran.push('third'), leaving.signal);
    const last = limited(async () => ran.push('last'));
    leaving.abort(new Error('left'));
    await expect(second).rejects.toThrow('left');
    await expect(third).rejects.toThrow('left');
    end();
    await Promise.all([first, last]);
    expect(ran).toEqual(['last']);
  });
});

describe('a gym without a sandbox', () => {
  const unavailable: SandboxProvider = {
    name: 'local',
    capabilities: async () => {
      throw new SandboxError('the local sandbox needs bubblewrap: apt install bubblewrap', { reason: 'unavailable' });
    },
    create: async () => {
      throw new Error('not reached');
    },
    dispose: async () => {},
  };

  it('gives no verdict, and says what to do', async () => {
    const gym = await openGym({ sandbox: unavailable });
    const verdicts = await gym.runBatch(environment, [right, 'x']);
    for (const verdict of verdicts) {
      expectNoVerdict(verdict, { cause: 'sandbox', retries: 0 });
      expect((verdict as NoVerdict).message).toContain('apt install bubblewrap');
    }
    await expect(gym.capabilities()).rejects.toThrow('apt install bubblewrap');
    await gym.dispose();
  });

  it('refuses options out of range', async () => {
    await expect(openGym({ workers: 0 })).rejects.toThrow('workers: 0');
    await expect(openGym({ retries: -1 })).rejects.toThrow('retries: -1');
  });

  it('asks for no sandbox when the environment cannot be used so', async () => {
    const gym = await openGym({ sandbox: unavailable });
    expectNoVerdict(await gym.run(environment, right, { variant: 'trian' }), { cause: 'environment' });
    expect(((await gym.run(environment, right, { variant: 'trian' })) as NoVerdict).message).toContain('"train"');
    const language = await gym.run(environment, right, { language: 'bash' });
    expect((language as NoVerdict).message).toBe(
      'double takes no answers in bash; it takes python, javascript, typescript',
    );
    const wrong = await gym.run(environment, right, { language: 'pyhton' as never });
    expect((wrong as NoVerdict).message).toContain('did you mean "python"?');
    expectNoVerdict(await gym.run(environment, right, { signal: AbortSignal.abort() }), { cause: 'aborted' });
    await gym.dispose();
  });
});

describeIsolatedPython('a gym', () => {
  let gym: Gym;
  beforeAll(async () => {
    gym = await openGym();
  });
  afterAll(async () => {
    await gym.dispose();
  });

  it('judges answers in every language', async () => {
    expect(await gym.run(environment, right)).toMatchObject({ score: 1, passed: true });
    expect(await gym.run(environment, javascript, { language: 'javascript' })).toMatchObject({ score: 1 });
    const typescript = 'export const double = (n: number): number => 2 * n;';
    expect(await gym.run(environment, typescript, { language: 'typescript' })).toMatchObject({ score: 1 });
    expect(await gym.run(environment, '')).toMatchObject({ kind: 'scored', score: 0 });
    expect(await gym.run(environment, '\ud800\u0000 def')).toMatchObject({ kind: 'scored', score: 0 });
  });

  it('keeps the order of a batch and judges equal answers once', async () => {
    const answers = Array.from({ length: 60 }, (_, index) => `def double(n):\n    return ${index % 4} * n`);
    const verdicts = await gym.runBatch(environment, answers);
    expect(verdicts.map((verdict) => verdict.kind === 'scored' && verdict.score)).toEqual(
      answers.map((_, index) => (index % 4 === 2 ? 1 : 0)),
    );
    expect(new Set(verdicts).size).toBe(4);
    expect(await gym.runBatch(environment, [])).toEqual([]);
  });

  it('applies a checker script and rules in processes of their own', async () => {
    const strict = testEnvironment({
      checker: {
        kind: 'script',
        functionName: 'check',
        source: {
          language: 'typescript',
          path: 'checker.ts',
          text: 'export function check([n]: [number], output: unknown, expected: number) { return { score: output === expected && output === 2 * n ? 1 : 0, message: "for " + n } }',
        },
      },
      rules: { python: { forbid: ['sum'], require: ['loop'] } },
    });
    expect(await gym.run(strict, right)).toMatchObject({ score: 0.3, details: '4 of 4 cases; has no loop' });
    expect(await gym.run(strict, 'def double(n):\n    for _ in range(1):\n        return sum([n, n])')).toMatchObject({
      score: 0.3,
      details: '4 of 4 cases; uses sum (line 3)',
    });
    expect(await gym.run(strict, 'def double(n):\n    for _ in range(1):\n        return n + n')).toMatchObject({
      score: 1,
    });
    const wrong = (await gym.run(strict, 'def double(n): return n')) as Scored;
    expect(wrong.cases[0]).toMatchObject({ passed: false, error: 'for 1' });
  });

  it('gives no verdict for a checker that fails, after trying again', async () => {
    const broken = testEnvironment({
      checker: {
        kind: 'script',
        functionName: 'check',
        source: {
          language: 'python',
          path: 'checker.py',
          text: 'def check(input, output, expected):\n    return float("nan")',
        },
      },
    });
    const verdict = await gym.run(broken, right);
    expectNoVerdict(verdict, { cause: 'verifier', retries: 2 });
    expect((verdict as NoVerdict).message).toContain('double/checker.py');
  });

  it('stops at the signal', async () => {
    const controller = new AbortController();
    const hanging = gym.run(environment, 'def double(n):\n    while True: pass', { signal: controller.signal });
    const started = gym.run(environment, right);
    await started;
    controller.abort();
    expectNoVerdict(await hanging, { cause: 'aborted' });
  });

  it('ends what is under way when it is disposed of', async () => {
    const other = await openGym({ workers: 1 });
    const hanging = other.run(environment, 'def double(n):\n    while True: pass');
    await other.capabilities();
    await other.dispose();
    const verdict = await hanging;
    expect(verdict.kind === 'noVerdict' || verdict.score === 0).toBe(true);
    expectNoVerdict(await other.run(environment, right), { cause: 'aborted' });
  });

  it('gives no verdict when the sandbox dies, and one when it comes back', async () => {
    const real = await openSandboxes('local');
    let failures = 1;
    const flaky: SandboxProvider = {
      ...real,
      capabilities: async () => {
        if (failures-- > 0) throw new SandboxError('out of space');
        return real.capabilities();
      },
    };
    const retrying = await openGym({ sandbox: flaky, retries: 1 });
    expect(await retrying.run(environment, right)).toMatchObject({ score: 1 });
    await retrying.dispose();
  });
});
