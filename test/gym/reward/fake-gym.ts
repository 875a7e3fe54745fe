import { environmentFromDeepGym } from '../../../src/gym/environment/index.js';
import type { Environment } from '../../../src/gym/environment/types.js';
import type { Gym, RunOptions } from '../../../src/gym/types.js';
import type { NoVerdictCause, Scored, Verdict } from '../../../src/gym/verdict.js';

/** An environment without files. */
export function fakeEnvironment(name: string, changes: Partial<Environment> = {}): Environment {
  const made = environmentFromDeepGym({ name, task: `The task of ${name}.`, verifier_code: 'return 1' });
  const variants = Object.fromEntries(
    ['train', 'eval', 'holdout'].map((variant, seed) => [
      variant,
      { name: variant, declared: [], generated: 15, seed: seed + 1, parameters: {}, task: null },
    ]),
  );
  return {
    ...made,
    directory: `/fake/${name}`,
    languages: ['python', 'javascript'],
    deepgym: null,
    variants,
    defaultVariant: 'train',
    ...changes,
  };
}

export function scored(score: number, changes: Partial<Scored> = {}): Scored {
  const passed = score === 1;
  return {
    kind: 'scored',
    score,
    passed,
    cases: [
      { id: 'a', passed: true, score: 1, input: '1', expected: '1', actual: '1', error: null, ms: 1 },
      { id: 'b', passed, score: passed ? 1 : 0, input: '2', expected: '2', actual: '0', error: null, ms: 1 },
    ],
    rewardComponents: {},
    metrics: {},
    truncated: false,
    details: passed ? '2 of 2 cases' : '1 of 2 cases',
    stdout: '',
    stderr: '',
    ms: 3,
    ...changes,
  };
}

export function noVerdict(cause: NoVerdictCause): Verdict {
  return { kind: 'noVerdict', cause, message: `${cause} failed`, retries: 2, ms: 5 };
}

export interface FakeRun {
  readonly environment: string;
  readonly variant: string | undefined;
  readonly language: string | undefined;
  readonly answer: string;
}

export interface FakeGym extends Gym {
  readonly runs: readonly FakeRun[];
  readonly disposals: () => number;
  /** Settles once an answer `wait` is being judged. */
  readonly waiting: () => Promise<void>;
}

/**
 * Judges by the answer's text: a number is its score, the name of a cause is no verdict for it, `wait` is not judged until it is
 * aborted, all else scores 0.
 */
export function fakeGym(judge?: (run: FakeRun) => Verdict): FakeGym {
  const runs: FakeRun[] = [];
  let disposals = 0;
  let begun: () => void;
  const waiting = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const run = async (environment: Environment, answer: string, options: RunOptions = {}): Promise<Verdict> => {
    const entry = { environment: environment.name, variant: options.variant, language: options.language, answer };
    runs.push(entry);
    if (options.signal?.aborted) return noVerdict('aborted');
    if (answer === 'wait') {
      begun();
      await new Promise((resolve) => options.signal?.addEventListener('abort', resolve));
      return noVerdict('aborted');
    }
    if (judge !== undefined) return judge(entry);
    if (['sandbox', 'verifier', 'environment', 'timeout'].includes(answer)) return noVerdict(answer as NoVerdictCause);
    const score = Number(answer);
    return scored(answer.trim() !== '' && score >= 0 && score <= 1 ? score : 0);
  };
  return {
    runs,
    disposals: () => disposals,
    waiting: () => waiting,
    run,
    runBatch: (environment, answers, options) =>
      Promise.all(answers.map((answer) => run(environment, answer, options))),
    capabilities: async () => ({
      name: 'local',
      isolated: true,
      inForce: ['no network'],
      missing: [],
      languages: { python: '3.11', javascript: '20', bash: '5' },
    }),
    cases: async () => ({ variant: 'train', seed: 1, cases: [], hash: '' }),
    task: async (environment, { variant, language } = {}) => `${environment.task} (${variant}, ${language})`,
    reference: async (_, reference) => reference.text,
    openEpisode: () => Promise.reject(new Error('no episodes here')),
    dispose: async () => {
      disposals++;
    },
  };
}
