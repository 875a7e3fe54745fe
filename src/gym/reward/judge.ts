import { GymError } from '../gym-error.js';
import type { NoVerdictCause, Verdict } from '../verdict.js';
import { answerOf, type Completion } from './code-block.js';
import { type LazyGymOptions, lazyGym } from './lazy-gym.js';
import { fenceLanguage, keyOf, type Question, type QuestionOptions, runOptions } from './question.js';

/** One judged completion. */
export interface Judgement extends Question {
  /** Its place in the call. */
  readonly index: number;
  /** What was judged: the code in the completion. */
  readonly answer: string;
  readonly verdict: Verdict;
}

export interface JudgeOptions extends LazyGymOptions, Pick<QuestionOptions, 'variant' | 'language'> {
  /** Called for each completion, in their order. */
  readonly onVerdict?: (judgement: Judgement) => void;
}

/** Counts since the function was made. */
export interface RewardStats {
  readonly judged: number;
  readonly passed: number;
  readonly noVerdict: number;
  readonly causes: Readonly<Partial<Record<NoVerdictCause, number>>>;
}

export interface Judge {
  /**
   * Judges completions, each by its question, in one go.
   * @throws GymError where an environment cannot be used as it stands, and the signal's reason once it is aborted
   */
  judge(
    completions: readonly Completion[],
    questions: readonly Question[],
    signal?: AbortSignal,
  ): Promise<readonly Judgement[]>;
  stats(): RewardStats;
  dispose(): Promise<void>;
}

export function openJudge(options: JudgeOptions): Judge {
  const { onVerdict, variant: _, language: __, ...gymOptions } = options;
  const gym = lazyGym(gymOptions);
  const counts = { judged: 0, passed: 0, noVerdict: 0 };
  const causes: Partial<Record<NoVerdictCause, number>> = {};

  function count(verdict: Verdict): void {
    if (verdict.kind === 'noVerdict') {
      counts.noVerdict++;
      causes[verdict.cause] = (causes[verdict.cause] ?? 0) + 1;
      return;
    }
    counts.judged++;
    if (verdict.passed) counts.passed++;
  }

  return {
    async judge(completions, questions, signal) {
      signal?.throwIfAborted();
      if (completions.length === 0) return [];
      const opened = await gym.get();
      const answers = completions.map((completion, index) => answerOf(completion, fenceLanguage(questions[index]!)));
      const judgements = new Array<Judgement>(completions.length);
      await Promise.all(
        groups(questions).map(async (indices) => {
          const question = questions[indices[0]!]!;
          const verdicts = await opened.runBatch(
            question.environment,
            indices.map((index) => answers[index]!),
            runOptions(question, signal),
          );
          for (const [at, index] of indices.entries()) {
            judgements[index] = { ...question, index, answer: answers[index]!, verdict: verdicts[at]! };
          }
        }),
      );
      signal?.throwIfAborted();
      for (const judgement of judgements) {
        count(judgement.verdict);
        onVerdict?.(judgement);
      }
      // No other answer would fare better, so this is a mistake to be told, not a completion to be left out.
      const unusable = judgements.find(
        ({ verdict }) => verdict.kind === 'noVerdict' && verdict.cause === 'environment',
      );
      if (unusable?.verdict.kind === 'noVerdict') throw new GymError(unusable.verdict.message);
      return judgements;
    },
    stats: () => ({ ...counts, causes: { ...causes } }),
    dispose: () => gym.dispose(),
  };
}

function groups(questions: readonly Question[]): readonly (readonly number[])[] {
  const byQuestion = new Map<string, number[]>();
  for (const [index, question] of questions.entries()) {
    const key = keyOf(question);
    const group = byQuestion.get(key);
    if (group === undefined) byQuestion.set(key, [index]);
    else group.push(index);
  }
  return [...byQuestion.values()];
}
