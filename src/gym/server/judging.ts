import type { Environment } from '../environment/types.js';
import type { Language } from '../language.js';
import { createLimiter } from '../limiter.js';
import { answerOf, type Completion, textOf } from '../reward/code-block.js';
import { fenceLanguage, keyOf, type Question, questionOf, runOptions } from '../reward/question.js';
import type { Gym } from '../types.js';
import { type RunResult, runResult } from './wire.js';

interface Choice {
  readonly variant?: string | undefined;
  readonly language?: Language | undefined;
  readonly extract: boolean;
}

export interface Submission {
  readonly question: Question;
  readonly answer: string;
}

export function submissionOf(environment: Environment, output: Completion, choice: Choice): Submission {
  const question = questionOf(environment, choice);
  return { question, answer: choice.extract ? answerOf(output, fenceLanguage(question)) : textOf(output) };
}

/** Judges so many at a time, equal answers once; results in the order of the submissions. */
export async function judgeAll(
  gym: Gym,
  submissions: readonly Submission[],
  options: { readonly parallel: number; readonly signal: AbortSignal; readonly onDone?: () => void },
): Promise<readonly RunResult[]> {
  if (submissions.length === 0) return [];
  const { name: sandbox } = await gym.capabilities();
  const limited = createLimiter(options.parallel);
  const judged = new Map<string, Promise<RunResult>>();
  return Promise.all(
    submissions.map(async ({ question, answer }) => {
      const key = `${keyOf(question)}${answer}`;
      let result = judged.get(key);
      if (result === undefined) {
        result = limited(async () =>
          runResult(
            question,
            await gym.run(question.environment, answer, runOptions(question, options.signal)),
            sandbox,
          ),
        );
        judged.set(key, result);
      }
      const done = await result;
      options.onDone?.();
      return done;
    }),
  );
}
