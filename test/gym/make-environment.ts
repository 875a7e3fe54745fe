import type { Case, CaseSet, Environment } from '../../src/gym/environment/types.js';
import type { CallJob, CallOutcome, JobResult, Runner } from '../../src/gym/runner/types.js';
import type { SandboxProvider } from '../../src/gym/sandbox/types.js';
import type { GymContext } from '../../src/gym/types.js';
import type { Value } from '../../src/gym/value.js';

/** An environment made in a test: `double(n)` for an int. */
export function testEnvironment(overrides: Partial<Environment> = {}): Environment {
  return {
    name: 'double',
    id: 'test-001',
    title: 'Double',
    kind: 'function',
    languages: ['python', 'javascript', 'typescript'],
    difficulty: 'easy',
    domain: 'coding',
    family: 'arithmetic',
    tags: [],
    licence: 'Apache-2.0',
    provenance: 'Written for a test.',
    task: 'Double it.',
    limits: { caseSeconds: 2, totalSeconds: 20, memoryMb: 256, processes: 16, outputKb: 64, diskMb: 64 },
    passThreshold: 1,
    weights: { correctness: 1 },
    ruleBreakCap: 0.3,
    floor: 0.2,
    signature: {
      names: { python: 'double', javascript: 'double' },
      parameters: [{ name: 'n', type: { kind: 'int' } }],
      returns: { kind: 'int' },
    },
    script: null,
    episode: null,
    deepgym: null,
    checker: { kind: 'structural' },
    rules: {},
    generator: null,
    references: [],
    badAnswers: [],
    variants: {
      train: { name: 'train', declared: testCases().cases, generated: 0, seed: 1, parameters: {}, task: null },
    },
    defaultVariant: 'train',
    directory: '/nowhere',
    contentHash: '0'.repeat(64),
    ...overrides,
  };
}

/** Cases `n → 2n`, or those given. */
export function testCases(
  cases: readonly Partial<Case>[] = [1, 2, 3, 4].map((n) => ({ input: [n], expected: 2 * n })),
): CaseSet {
  return {
    variant: 'train',
    seed: 1,
    hash: 'none',
    cases: cases.map((one, index) => ({ id: `case_${index}`, input: [], weight: 1, group: null, ...one })),
  };
}

export type FakeCall = (
  input: readonly Value[],
  job: CallJob,
) => Value | Omit<Exclude<CallOutcome, { kind: 'value' }>, 'ms'>;

/** A runner that runs nothing: what a call gives is decided by a function of the test. Keeps the jobs it was given. */
export function fakeRunner(call: FakeCall, result: Partial<JobResult> = {}): Runner & { readonly jobs: CallJob[] } {
  const jobs: CallJob[] = [];
  return {
    jobs,
    workers: 2,
    async run(job, signal) {
      signal?.throwIfAborted();
      jobs.push(job);
      const calls = job.calls.map((input): CallOutcome => {
        const given = call(input, job);
        const ended = typeof given === 'object' && given !== null && 'kind' in given;
        return ended ? ({ ...given, ms: 1 } as CallOutcome) : { kind: 'value', value: given as Value, ms: 1 };
      });
      return { kind: 'ran', calls, problem: null, outOfTime: false, stdout: '', stderr: '', ms: 1, ...result };
    },
    async capabilities() {
      return {
        name: 'none',
        isolated: false,
        inForce: [],
        missing: [],
        languages: { python: null, javascript: null, bash: null },
      };
    },
    async dispose() {},
  };
}

export function fakeContext(runner: Runner): GymContext {
  return { runner, sandboxes: {} as SandboxProvider, retries: 0 };
}
