import { setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { didYouMean } from '../config/index.js';
import { openCases, parseVariant } from './cases/index.js';
import { languageFor, renderTask } from './environment/index.js';
import type { Environment } from './environment/types.js';
import { openEpisode } from './episode/index.js';
import { GymError } from './gym-error.js';
import { judge, noVerdict } from './judge.js';
import { createLimiter } from './limiter.js';
import { openRunner } from './runner/index.js';
import { openSandboxes } from './sandbox/index.js';
import { SandboxError, sandboxNames } from './sandbox/types.js';
import type { Gym, GymContext, GymOptions, RunOptions } from './types.js';
import type { Verdict } from './verdict.js';
import { documentReference, verify } from './verify/index.js';

/**
 * A gym. Its processes start with the first answer; `dispose` ends them.
 * Where answers cannot be isolated every run is a `noVerdict` that says how to change that.
 * @throws GymError for options out of range
 */
export async function openGym(options: GymOptions = {}): Promise<Gym> {
  const { sandbox = 'local', workers = availableParallelism(), retries = 2 } = options;
  if (!Number.isSafeInteger(workers) || workers < 1) throw new GymError(`workers: ${workers}; wanted is 1 or more`);
  if (!Number.isSafeInteger(retries) || retries < 0) throw new GymError(`retries: ${retries}; wanted is 0 or more`);
  if (typeof sandbox === 'string' && !sandboxNames.includes(sandbox)) {
    throw new GymError(
      `sandbox: there is no ${sandbox}; there are ${sandboxNames.join(', ')}${didYouMean(sandbox, sandboxNames)}`,
    );
  }
  const opened = once(async (): Promise<GymContext> => {
    const sandboxes = typeof sandbox === 'string' ? await openSandboxes(sandbox) : sandbox;
    // Throws where nothing can be isolated, before anything is run.
    await sandboxes.capabilities();
    return { sandboxes, runner: await openRunner({ sandbox: sandboxes, workers }), retries };
  });
  // One more than there are workers, so that none waits while an answer's results are compared.
  const limited = createLimiter(workers + 1);
  const closing = new AbortController();

  setMaxListeners(0, closing.signal);
  const signalOf = (own: AbortSignal | undefined) =>
    own === undefined ? closing.signal : AbortSignal.any([own, closing.signal]);

  const judgeOne = async (
    environment: Environment,
    answer: string,
    options: RunOptions,
    signal: AbortSignal,
  ): Promise<Verdict> => {
    const since = performance.now();
    if (signal.aborted) return noVerdict('aborted', 'aborted', 0, since);
    return limited(() =>
      judge(
        async () => {
          const language = languageFor(environment, options.language);
          parseVariant(environment, options.variant);
          const context = await opened.get();
          const cases = await openCases(context, environment, options.variant, signal);
          return verify(context, environment, cases, answer, language, signal);
        },
        { retries, signal },
      ),
    );
  };

  return Object.freeze<Gym>({
    async run(environment, answer, options = {}) {
      checkAsked(environment, [answer]);
      return judgeOne(environment, answer, options, signalOf(options.signal));
    },
    async runBatch(environment, answers, options = {}) {
      checkAsked(environment, answers);
      const signal = signalOf(options.signal);
      const verdicts = new Map<string, Promise<Verdict>>();
      for (const answer of answers) {
        if (!verdicts.has(answer)) verdicts.set(answer, judgeOne(environment, answer, options, signal));
      }
      return Promise.all(answers.map((answer) => verdicts.get(answer)!));
    },
    async capabilities() {
      return (await opened.get()).runner.capabilities();
    },
    async cases(environment, options = {}) {
      return openCases(await opened.get(), environment, options.variant, signalOf(options.signal));
    },
    async task(environment, options = {}) {
      const language = languageFor(environment, options.language);
      const cases = await openCases(await opened.get(), environment, options.variant, signalOf(options.signal));
      return renderTask(environment, cases, language);
    },
    async reference(environment, reference, options = {}) {
      if (environment.kind !== 'document') return reference.text;
      const context = await opened.get();
      const cases = await openCases(context, environment, options.variant, signalOf(options.signal));
      return documentReference(context, environment, cases, reference);
    },
    async openEpisode(environment, options = {}) {
      return openEpisode(await opened.get(), environment, options);
    },
    async dispose() {
      closing.abort();
      const context = await opened.settled();
      if (context === null) return;
      await context.runner.dispose();
      await context.sandboxes.dispose();
    },
  });
}

/** What types rule out, for callers that have none: a trainer must hear of its mistake rather than get scores for it. */
function checkAsked(environment: unknown, answers: unknown): void {
  if (typeof environment === 'string') {
    throw new GymError(
      `the environment is the text ${JSON.stringify(environment)}; loadEnvironment makes one of its name`,
    );
  }
  if (!Array.isArray(answers)) throw new GymError('the answers are no list of texts');
  const wrong = answers.findIndex((answer) => typeof answer !== 'string');
  if (wrong >= 0) throw new GymError(`answer ${wrong} is no text: ${JSON.stringify(answers[wrong])?.slice(0, 60)}`);
}

/** Does something once, when it is first asked for. A failure that may pass is not kept. */
function once<T>(make: () => Promise<T>) {
  let made: Promise<T> | null = null;
  return {
    get(): Promise<T> {
      made ??= make().catch((error: unknown) => {
        if (error instanceof SandboxError && error.retryable) made = null;
        throw error;
      });
      return made;
    },
    /** What was made, or null when nothing was. */
    async settled(): Promise<T | null> {
      return made === null ? null : made.catch(() => null);
    },
  };
}
