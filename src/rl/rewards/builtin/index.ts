import { suggest } from '../../nearest-name.js';
import type { RewardColumns, RewardFunction } from '../reward.js';
import { RewardError } from '../reward-error.js';
import { lastBoxed, normalizeAnswer } from './boxed.js';
import { flexibleAnswer, groundTruth, strictAnswer } from './gsm8k.js';
import { type Parameters, readParameters } from './parameters.js';

type Builtin = (parameters: Parameters) => RewardFunction;

/** Rewards that come with anneal, by the name a config uses. Each takes its parameters and gives 1 or 0, save `length`. */
export const builtinRewards: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['gsm8k', (parameters) => gsm8k('gsm8k', parameters, strictAnswer)],
  ['gsm8k_flexible', (parameters) => gsm8k('gsm8k_flexible', parameters, flexibleAnswer)],
  ['exact_match', exactMatch],
  ['boxed_answer', boxedAnswer],
  ['format_regex', formatRegex],
  ['length', lengthReward],
]);

/** 1 where the answer's number equals that of the column `answer` (another one with `column`). */
function gsm8k(name: string, parameters: Parameters, answerOf: (text: string) => string | null): RewardFunction {
  const { column = 'answer' } = readParameters(name, parameters, { column: 'string' });
  return (_, completions, columns) =>
    readColumn(name, columns, column).map((value, index) => {
      const truth = groundTruth(value);
      return truth === null ? null : Number(answerOf(completions[index]!) === truth);
    });
}

/** 1 where the whole completion equals the column `answer`; white space around both is ignored, case with `ignore_case`. */
function exactMatch(parameters: Parameters): RewardFunction {
  const { column = 'answer', ignore_case = false } = readParameters('exact_match', parameters, {
    column: 'string',
    ignore_case: 'boolean',
  });
  const comparable = (text: string) => (ignore_case ? text.trim().toLowerCase() : text.trim());
  return (_, completions, columns) =>
    readColumn('exact_match', columns, column).map((value, index) =>
      value === null || value === undefined
        ? null
        : Number(comparable(completions[index]!) === comparable(String(value))),
    );
}

/** 1 where the last `\boxed{…}` equals the column `answer`, which may itself be a solution with a box. */
function boxedAnswer(parameters: Parameters): RewardFunction {
  const { column = 'answer' } = readParameters('boxed_answer', parameters, { column: 'string' });
  return (_, completions, columns) =>
    readColumn('boxed_answer', columns, column).map((value, index) => {
      if (value === null || value === undefined) return null;
      const truth = String(value);
      const answer = lastBoxed(completions[index]!);
      return Number(answer !== null && normalizeAnswer(answer) === normalizeAnswer(lastBoxed(truth) ?? truth));
    });
}

/** 1 where the regular expression `pattern` (with `flags`) is found in the completion. */
function formatRegex(parameters: Parameters): RewardFunction {
  const { pattern, flags = '' } = readParameters('format_regex', parameters, { pattern: 'string', flags: 'string' });
  if (pattern === undefined) {
    throw new RewardError('Reward format_regex needs a pattern: {name: format_regex, pattern: "^<think>", flags: s}.');
  }
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, flags);
  } catch (error) {
    throw new RewardError(`Reward format_regex: ${(error as Error).message}.`);
  }
  // search, unlike test, keeps no state between calls when the flag g is set.
  return (_, completions) => completions.map((completion) => Number(completion.search(expression) >= 0));
}

/**
 * 1 for a length from `min` to `max`, falling linearly to 0 over `margin` beyond either bound (default 0: at once).
 * `unit` is tokens (the default, stop token included) or characters.
 */
function lengthReward(parameters: Parameters): RewardFunction {
  const {
    min,
    max,
    margin = 0,
    unit = 'tokens',
  } = readParameters('length', parameters, {
    min: 'number',
    max: 'number',
    margin: 'number',
    unit: 'string',
  });
  if (min === undefined && max === undefined) {
    throw new RewardError('Reward length needs min or max (or both): {name: length, max: 200, margin: 50}.');
  }
  const [low, high] = [min ?? 0, max ?? Number.POSITIVE_INFINITY];
  if (low > high) throw new RewardError(`Reward length: min ${low} is above max ${high}.`);
  if (margin < 0) throw new RewardError(`Reward length: margin ${margin} is below 0.`);
  if (unit !== 'tokens' && unit !== 'characters') {
    throw new RewardError(`Reward length has no unit "${unit}". ${suggest(unit, ['tokens', 'characters'])}`);
  }
  return (_, completions, __, { completionIds }) =>
    completions.map((completion, index) => {
      const length = unit === 'tokens' ? completionIds[index]!.length : completion.length;
      const beyond = Math.max(low - length, length - high, 0);
      if (beyond === 0) return 1;
      return Math.max(0, 1 - beyond / margin);
    });
}

function readColumn(reward: string, columns: RewardColumns, column: string): readonly unknown[] {
  const values = columns[column];
  if (values) return values;
  throw new RewardError(
    `${reward} reads the dataset column "${column}", which is not there. ${suggest(column, Object.keys(columns))} Name another with {name: ${reward}, column: …}.`,
  );
}
