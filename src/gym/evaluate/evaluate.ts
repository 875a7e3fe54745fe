import type { Environment } from '../environment/types.js';
import { type Question, type QuestionOptions, questionOf, runOptions } from '../reward/question.js';
import type { Gym } from '../types.js';
import type { Verdict } from '../verdict.js';
import type { AnswerSource, SubmittedAnswer } from './answers.js';
import { type Estimate, meanInterval, passAtK, wilson } from './statistics.js';

export interface JudgedAnswer {
  /** The file's name, or the number of the sample. */
  readonly name: string;
  /** null where there was no answer to judge. */
  readonly verdict: Verdict | null;
  /** Why there was none. */
  readonly failure: string | null;
}

export interface EnvironmentResult {
  readonly name: string;
  readonly variant: string;
  /** No answer was there: it counts as one that scored 0. */
  readonly missing: boolean;
  readonly answers: readonly JudgedAnswer[];
  /** Answers with a score, and those that passed. */
  readonly scored: number;
  readonly passed: number;
  /** Answers that nobody judged, and requests that got no answer: nothing is known about these. */
  readonly noVerdict: number;
  /** null where nothing has a score. */
  readonly passRate: number | null;
  readonly meanScore: number | null;
}

export interface EvaluationReport {
  readonly suite: string;
  readonly model: string | null;
  /** In the order of the suite. */
  readonly environments: readonly EnvironmentResult[];
  /** Environments that were not asked. */
  readonly skipped: readonly { readonly environment: string; readonly reason: string }[];
  readonly missing: readonly string[];
  readonly noVerdict: readonly {
    readonly environment: string;
    readonly answer: string;
    readonly cause: string;
    readonly message: string;
  }[];
  /**
   * The mean over environments of the share of answers that passed, with Wilson's interval: environments are the independent trials,
   * not the answers to one of them. null where no environment has a score.
   */
  readonly passRate: Estimate | null;
  /** The mean over environments of the mean score, with Student's interval. */
  readonly meanScore: Estimate | null;
  /** The mean over the environments with at least k scored answers. */
  readonly passAtK: readonly { readonly k: number; readonly value: number | null; readonly environments: number }[];
}

export interface EvaluateOptions extends QuestionOptions {
  /** Default `[1]`. */
  readonly k?: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /** Called for each judged answer, in the order in which they end. */
  readonly onVerdict?: (question: Question, submitted: SubmittedAnswer, verdict: Verdict) => void | Promise<void>;
}

/**
 * Judges the answers to a suite.
 * @throws GymError where an environment cannot be used as asked, and the signal's reason
 */
export async function evaluate(
  gym: Gym,
  suite: string,
  environments: readonly Environment[],
  source: AnswerSource,
  options: EvaluateOptions = {},
): Promise<EvaluationReport> {
  // One failure ends all: what is still asked or judged is of no use then.
  const ending = new AbortController();
  const signal = options.signal === undefined ? ending.signal : AbortSignal.any([options.signal, ending.signal]);
  const skipped = environments.flatMap((environment) => {
    const reason = whyNot(environment, source, options.language);
    return reason === null ? [] : [{ environment: environment.name, reason }];
  });
  const questions = environments
    .filter((environment) => whyNot(environment, source, options.language) === null)
    .map((environment) =>
      questionOf(environment, {
        variant: options.variant,
        language: environment.kind === 'document' ? undefined : options.language,
      }),
    );
  try {
    const results = await Promise.all(questions.map((question) => evaluateOne(gym, question, source, signal, options)));
    options.signal?.throwIfAborted();
    return report(suite, source.model, results, skipped, options.k ?? [1]);
  } catch (error) {
    ending.abort(error);
    throw error;
  }
}

function whyNot(
  { kind, languages, episode }: Environment,
  source: AnswerSource,
  language: string | undefined,
): string | null {
  // A file that steps would have changed can be judged without them, but not asked for.
  if (kind === 'episode' && (source.model !== null || episode?.answerFile == null)) return 'it is answered in steps';
  if (kind === 'document' || language === undefined || languages.some((one) => one === language)) return null;
  return `it takes ${languages.join(', ')} and no ${language}`;
}

async function evaluateOne(
  gym: Gym,
  question: Question,
  source: AnswerSource,
  signal: AbortSignal,
  { onVerdict }: EvaluateOptions,
): Promise<EnvironmentResult> {
  const { environment, variant } = question;
  const prompt = () => gym.task(environment, runOptions(question, signal));
  const submitted = await source.answers(question, prompt, signal);
  const answers = await Promise.all(
    submitted.map(async (one): Promise<JudgedAnswer> => {
      if ('failure' in one) return { name: one.name, verdict: null, failure: one.failure };
      const verdict = await gym.run(
        environment,
        one.answer,
        runOptions({ ...question, language: one.language }, signal),
      );
      await onVerdict?.(question, one, verdict);
      return { name: one.name, verdict, failure: null };
    }),
  );
  const scores = answers.flatMap(({ verdict }) => (verdict?.kind === 'scored' ? [verdict] : []));
  const missing = answers.length === 0;
  const passed = scores.filter((verdict) => verdict.passed).length;
  return {
    name: environment.name,
    variant,
    missing,
    answers,
    scored: scores.length,
    passed,
    noVerdict: answers.length - scores.length,
    passRate: missing ? 0 : scores.length === 0 ? null : passed / scores.length,
    meanScore: missing
      ? 0
      : scores.length === 0
        ? null
        : scores.reduce((sum, { score }) => sum + score, 0) / scores.length,
  };
}

function report(
  suite: string,
  model: string | null,
  environments: readonly EnvironmentResult[],
  skipped: EvaluationReport['skipped'],
  ks: readonly number[],
): EvaluationReport {
  const rates = environments.flatMap(({ passRate }) => (passRate === null ? [] : [passRate]));
  const scores = environments.flatMap(({ meanScore }) => (meanScore === null ? [] : [meanScore]));
  return {
    suite,
    model,
    environments,
    skipped,
    missing: environments.flatMap(({ missing, name }) => (missing ? [name] : [])),
    noVerdict: environments.flatMap(({ name: environment, answers }) =>
      answers.flatMap(({ name: answer, verdict, failure }) => {
        if (verdict === null)
          return [{ environment, answer, cause: model === null ? 'file' : 'endpoint', message: failure ?? '' }];
        return verdict.kind === 'scored'
          ? []
          : [{ environment, answer, cause: verdict.cause, message: verdict.message }];
      }),
    ),
    passRate: rates.length === 0 ? null : wilson(mean(rates), rates.length),
    meanScore: scores.length === 0 ? null : meanInterval(scores),
    passAtK: ks.map((k) => {
      // Nothing was answered to a missing one, however often one had asked.
      const enough = environments.filter(({ missing, scored }) => missing || scored >= k);
      const values = enough.map(({ missing, scored, passed }) => (missing ? 0 : passAtK(scored, passed, k)));
      return { k, value: values.length === 0 ? null : mean(values), environments: values.length };
    }),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
