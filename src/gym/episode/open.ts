import { openCases, parseVariant } from '../cases/index.js';
import { languageFor } from '../environment/language-for.js';
import { renderTask } from '../environment/render-task.js';
import type { CaseSet, Environment, EpisodeSpec } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import { judge, noVerdict } from '../judge.js';
import { type Sandbox, SandboxError } from '../sandbox/types.js';
import type { GymContext, RunOptions } from '../types.js';
import type { NoVerdictCause, Verdict } from '../verdict.js';
import { launchLimits } from '../verify/launch.js';
import { readInput } from '../verify/script.js';
import { act, readTools } from './act.js';
import { checkAction } from './check-action.js';
import { judgeWork } from './judge-work.js';
import type { Action, Episode, EpisodeRecord, Observation, StepResult } from './types.js';

/** What a run of an episode, from `reset` to its end, has gathered. */
interface Run {
  readonly cases: CaseSet;
  readonly sandbox: Sandbox;
  readonly observations: Observation[];
  readonly actions: Action[];
  readonly stepRewards: number[];
  /** The last score measured, where rewards are improvements. */
  score: number;
  terminated: boolean;
  truncated: boolean;
  reason: string | null;
  verdict: Verdict | null;
}

const emptyRecord: EpisodeRecord = Object.freeze({
  observations: [],
  actions: [],
  stepRewards: [],
  terminated: false,
  truncated: false,
  reason: null,
  verdict: null,
});

/**
 * An episode of an environment in steps. `reset` begins it, in a sandbox of its own, and begins it anew. Whatever an action does is
 * an observation; a step out of time, the step limit and a failing sandbox end the episode as truncated, with its record kept.
 * The signal ends it as truncated, without a verdict.
 * @throws GymError when the environment has no steps, or no such variant
 */
export async function openEpisode(
  context: GymContext,
  environment: Environment,
  options: RunOptions = {},
): Promise<Episode> {
  const { episode: spec } = environment;
  if (spec === null) throw new GymError(`${environment.name} is of the kind ${environment.kind}, which has no steps`);
  const { variant } = parseVariant(environment, options.variant);
  const tools = readTools(environment);
  const { signal } = options;
  let run: Run | null = null;
  let busy = false;
  let disposed = false;

  const judgeNow = ({ cases, sandbox }: Run): Promise<Verdict> =>
    judge(() => judgeWork(context, environment, cases, sandbox, signal), { retries: context.retries, signal });

  /** One at a time: two steps at once would see each other's half-done work. */
  const alone = async <T>(work: () => Promise<T>): Promise<T> => {
    if (disposed) throw new GymError('the episode has been disposed of');
    if (busy) throw new GymError('the episode is still at its last step; wait for it');
    busy = true;
    try {
      return await work();
    } finally {
      busy = false;
    }
  };

  const begin = async (seed?: number): Promise<Run> => {
    const seeded = seed !== undefined && variant.generated > 0 ? `${variant.name}@${seed}` : options.variant;
    const cases = await openCases(context, environment, seeded, signal);
    const sandbox = await createSandbox(context, environment, spec, cases, signal);
    const begun: Run = {
      cases,
      sandbox,
      observations: [{ content: renderTask(environment, cases, languageFor(environment, options.language)), step: 0 }],
      actions: [],
      stepRewards: [],
      score: 0,
      terminated: false,
      truncated: false,
      reason: null,
      verdict: null,
    };
    if (spec.stepReward === 'improvement') {
      const before = await judgeNow(begun);
      if (before.kind === 'noVerdict') {
        await sandbox.dispose();
        signal?.throwIfAborted();
        throw new SandboxError(`the files that ${environment.name} begins with could not be judged: ${before.message}`);
      }
      begun.score = before.score;
    }
    return begun;
  };

  /** Carries an action out and says what it came to: an observation, and why the episode has to end, if so. */
  const carryOut = async (current: Run, action: Action): Promise<string> => {
    if (action.type === 'finish') {
      current.terminated = true;
      return '[finished]';
    }
    try {
      const { outputKb } = environment.limits;
      const { observation, outOfTime } = await act(current.sandbox, spec, tools, action, { outputKb, signal });
      if (outOfTime) truncate(current, `the step did not end within ${spec.stepSeconds} s`);
      return observation;
    } catch (error) {
      const { cause, message } = failureOf(error, signal);
      truncate(current, message);
      current.verdict = noVerdict(cause, message, 0, performance.now());
      return `[${message}]`;
    }
  };

  /** The step's reward; ends the episode at the full score or the last step. */
  const settle = async (current: Run): Promise<number> => {
    const measured = spec.stepReward === 'improvement' && current.verdict === null ? await judgeNow(current) : null;
    let reward = 0;
    if (measured?.kind === 'scored') {
      reward = measured.score - current.score;
      current.score = measured.score;
      if (measured.score === 1 && !current.truncated) current.terminated = true;
    } else if (measured?.kind === 'noVerdict') {
      truncate(current, measured.message);
    }
    if (!current.terminated && !current.truncated && current.actions.length >= spec.maxSteps) {
      truncate(current, `the limit of ${spec.maxSteps} steps`);
    }
    if (!current.terminated && !current.truncated) return reward;
    current.verdict ??= measured ?? (await judgeNow(current));
    if (spec.stepReward === 'none') reward = current.verdict.kind === 'scored' ? current.verdict.score : 0;
    return reward;
  };

  return Object.freeze<Episode>({
    reset: ({ seed } = {}) =>
      alone(async () => {
        const previous = run;
        run = null;
        await previous?.sandbox.dispose();
        run = await begin(seed);
        const { variant: name, seed: used } = run.cases;
        return {
          observation: run.observations[0]!,
          info: { environment: environment.name, variant: name, seed: used, score: scoreOf(spec, run) },
        };
      }),

    step: (action) =>
      alone(async (): Promise<StepResult> => {
        if (run === null) throw new GymError('the episode has not begun; call reset first');
        if (run.terminated || run.truncated) throw new GymError('the episode has ended; reset begins it anew');
        checkAction(action, spec);
        const current = run;
        current.actions.push(action);
        const observation = { content: await carryOut(current, action), step: current.actions.length };
        current.observations.push(observation);
        const reward = await settle(current);
        current.stepRewards.push(reward);
        const { terminated, truncated, reason, verdict } = current;
        return {
          observation,
          reward,
          terminated,
          truncated,
          info: { score: scoreOf(spec, current), reason, verdict },
        };
      }),

    verdict: () =>
      alone(async () => {
        if (run === null) throw new GymError('the episode has not begun; call reset first');
        return run.verdict ?? judgeNow(run);
      }),

    get record(): EpisodeRecord {
      if (run === null) return emptyRecord;
      const { observations, actions, stepRewards, terminated, truncated, reason, verdict } = run;
      return {
        observations: [...observations],
        actions: [...actions],
        stepRewards: [...stepRewards],
        terminated,
        truncated,
        reason,
        verdict,
      };
    },

    async dispose() {
      disposed = true;
      await run?.sandbox.dispose();
    },
  });
}

function truncate(run: Run, reason: string): void {
  run.truncated = true;
  run.terminated = false;
  run.reason ??= reason;
}

const scoreOf = (spec: EpisodeSpec, run: Run): number | null => (spec.stepReward === 'improvement' ? run.score : null);

async function createSandbox(
  { sandboxes, retries }: GymContext,
  environment: Environment,
  spec: EpisodeSpec,
  cases: CaseSet,
  signal?: AbortSignal,
): Promise<Sandbox> {
  const [first] = cases.cases;
  const own = spec.answerFile === null && first !== undefined ? readInput(environment, first).files : {};
  const limits = launchLimits({ ...environment.limits, caseSeconds: spec.stepSeconds });
  for (let failed = 0; ; failed++) {
    try {
      return await sandboxes.create({ limits, files: { ...spec.files, ...own }, signal });
    } catch (error) {
      if (!(error instanceof SandboxError && error.retryable) || failed >= retries) throw error;
    }
  }
}

/** @throws what is neither the sandbox's failure nor the caller's signal: a bug */
function failureOf(error: unknown, signal?: AbortSignal): { cause: NoVerdictCause; message: string } {
  if (signal?.aborted) return { cause: 'aborted', message: 'aborted' };
  if (!(error instanceof SandboxError)) throw error;
  return { cause: error.reason === 'timeout' ? 'timeout' : 'sandbox', message: `the sandbox failed: ${error.message}` };
}
