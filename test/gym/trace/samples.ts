import type { Environment } from '../../../src/gym/environment/types.js';
import type { EpisodeRecord } from '../../../src/gym/episode/types.js';
import type { SandboxCapabilities } from '../../../src/gym/sandbox/types.js';
import { type Trace, traceOfEpisode, traceOfRun } from '../../../src/gym/trace/index.js';
import type { NoVerdict, Scored } from '../../../src/gym/verdict.js';

const environment = {
  name: 'coin_change',
  contentHash: 'c0ffee',
  defaultVariant: 'train',
} as unknown as Environment;

const capabilities: SandboxCapabilities = {
  name: 'none',
  isolated: false,
  inForce: ['time limit'],
  missing: ['no network'],
  languages: { python: '3.11.2', javascript: process.versions.node, bash: '5.2' },
};

export function scored(score: number): Scored {
  return {
    kind: 'scored',
    score,
    passed: score === 1,
    cases: [
      {
        id: 'case-1',
        passed: score > 0,
        score,
        input: '[1], 1',
        expected: '1',
        actual: 'é\u2028\n',
        error: null,
        ms: 1.5,
      },
    ],
    rewardComponents: {},
    metrics: {},
    truncated: false,
    details: '1 of 1 cases',
    stdout: '',
    stderr: '',
    ms: 3.25,
  };
}

export const noVerdict: NoVerdict = {
  kind: 'noVerdict',
  cause: 'sandbox',
  message: 'no space left',
  retries: 2,
  ms: 9,
};

const common = {
  environment,
  cases: { variant: 'train', seed: 1, hash: 'abc' },
  language: 'python',
  capabilities,
} as const;

export function run(score: number | null, completion = 'def coin_change(coins, amount): …', model?: string): Trace {
  return traceOfRun({
    ...common,
    prompt: 'Write coin_change.',
    completion,
    verdict: score === null ? noVerdict : scored(score),
    ...(model === undefined ? {} : { model }),
  });
}

/** An episode whose actions are these bash lines. */
export function episode(lines: readonly string[], stepRewards: readonly number[], passed: boolean): Trace {
  const record: EpisodeRecord = {
    observations: [
      { content: 'Fix it.', step: 0 },
      ...lines.map((line, at) => ({ content: `ran ${line}`, step: at + 1 })),
    ],
    actions: lines.map((content) => ({ type: 'bash', content })),
    stepRewards,
    terminated: true,
    truncated: false,
    reason: null,
    verdict: scored(passed ? 1 : 0.25),
  };
  return traceOfEpisode({ ...common, record });
}
