import type { Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Scored } from '../verdict.js';
import type { Completion } from './code-block.js';
import { checkComponent, componentOf, componentsOf } from './component.js';
import { type Judgement, type JudgeOptions, openJudge, type RewardStats } from './judge.js';
import { cachedLoader, type Question, questionOf, questionOfRow } from './question.js';

/** The dataset's other columns by name, each with one value per completion. */
export type Columns = Readonly<Record<string, readonly unknown[]>>;

export interface RewardCall {
  readonly signal?: AbortSignal;
}

/** What all reward functions of the gym can do beside being called. */
export interface RewardControls {
  stats(): RewardStats;
  /** Ends the warm processes. The next call starts them anew. */
  dispose(): Promise<void>;
}

/**
 * A reward as anneal takes it (`trl.reward_funcs: [./rewards.ts#coin]`): arrays in parallel in, one value per completion out, null
 * where there is no verdict, which is not a 0.
 */
export interface BatchFn<Value> extends RewardControls {
  (
    prompts: readonly unknown[],
    completions: readonly Completion[],
    columns?: Columns,
    call?: RewardCall,
  ): Promise<(Value | null)[]>;
}
export type RewardFn = BatchFn<number>;

/** The same in TRL's and Axolotl's form: one object with everything by name. Columns may have any name. */
export interface KeywordFn<Value> extends RewardControls {
  (batch: {
    readonly completions: readonly Completion[];
    readonly prompts?: readonly unknown[];
    readonly [column: string]: unknown;
  }): Promise<(Value | null)[]>;
}

export interface RewardOptions extends JudgeOptions {
  /** Give this part of the verdict (`correctness`, `rules`, weighted) instead of the score. A verdict without it is an error. */
  readonly component?: string;
}

/** Scores of completions in one environment. It is loaded, and the sandbox started, by the first call. */
export function makeRewardFn(environment: Environment | string, options: RewardOptions = {}): RewardFn {
  return inOne(environment, options, scoreOf(options.component));
}

/** The weighted parts of each verdict, or `{score}` where it has one part only. */
export function makeShapedRewardFn(
  environment: Environment | string,
  options: JudgeOptions = {},
): BatchFn<Readonly<Record<string, number>>> {
  return inOne(environment, options, ({ verdict }) => componentsOf(verdict));
}

/** The score of each case by its id, and of all together as `overall`. */
export function makeCaseRewardFn(
  environment: Environment | string,
  options: JudgeOptions = {},
): BatchFn<Readonly<Record<string, number>>> {
  return inOne(environment, options, ({ verdict }) =>
    Object.fromEntries([...verdict.cases.map(({ id, score }) => [id, score]), ['overall', verdict.score]]),
  );
}

/** `makeRewardFn` in keyword form. */
export function makeAxolotlRewardFn(environment: Environment | string, options: RewardOptions = {}): KeywordFn<number> {
  return byKeyword(makeRewardFn(environment, options));
}

/** A named component in keyword form. */
export function makeAxolotlShapedRewardFn(
  environment: Environment | string,
  options: RewardOptions & { readonly component: string },
): KeywordFn<number> {
  return makeAxolotlRewardFn(environment, options);
}

/**
 * Scores of completions, each in the environment of its row: `extra_info.environment`, with optional `variant` and `language`,
 * else `data_source`.
 */
export function rowRewardFn(options: RewardOptions = {}): RewardFn {
  const load = cachedLoader();
  return batchFn(options, scoreOf(options.component), (completions, columns) => {
    const infos = columnOf(columns, 'extra_info', completions.length);
    const sources = columnOf(columns, 'data_source', completions.length);
    return Promise.all(
      completions.map((_, index) =>
        questionOfRow(
          { extraInfo: infos?.[index], dataSource: sources?.[index] },
          `completion ${index}`,
          load,
          options,
        ),
      ),
    );
  });
}

/** Rows that are not one for each completion would be judged by another's environment. */
function columnOf(columns: Columns, name: string, length: number): readonly unknown[] | undefined {
  const column: unknown = columns[name];
  if (column === undefined || column === null) return undefined;
  if (!Array.isArray(column)) throw new GymError(`the column ${name} is no list with a value for each completion.`);
  if (column.length !== length) {
    throw new GymError(`the column ${name} has ${column.length} values for ${length} completions.`);
  }
  return column;
}

/** `rowRewardFn` in keyword form. */
export function axolotlRowRewardFn(options: RewardOptions = {}): KeywordFn<number> {
  return byKeyword(rowRewardFn(options));
}

type ScoredJudgement = Judgement & { readonly verdict: Scored };
type ValueOf<Value> = (judgement: ScoredJudgement) => Value;

function scoreOf(component: string | undefined): ValueOf<number> {
  return ({ environment, verdict }) =>
    component === undefined ? verdict.score : componentOf(environment, verdict, component);
}

function inOne<Value>(environment: Environment | string, options: RewardOptions, read: ValueOf<Value>): BatchFn<Value> {
  const load = cachedLoader();
  return batchFn(options, read, async (completions) => {
    const loaded = typeof environment === 'string' ? await load(environment) : environment;
    if (options.component !== undefined) checkComponent(loaded, options.component);
    const question = questionOf(loaded, options);
    return completions.map(() => question);
  });
}

function batchFn<Value>(
  options: JudgeOptions,
  read: ValueOf<Value>,
  questionsOf: (completions: readonly Completion[], columns: Columns) => Promise<readonly Question[]>,
): BatchFn<Value> {
  const judge = openJudge(options);
  const call: (...args: Parameters<BatchFn<Value>>) => Promise<(Value | null)[]> = async (
    _prompts,
    completions,
    columns,
    { signal } = {},
  ) => {
    if (!Array.isArray(completions)) throw new GymError('a reward takes a list of completions as its second argument.');
    const wrong = completions.findIndex((completion) => typeof completion !== 'string' && !Array.isArray(completion));
    if (wrong >= 0) {
      throw new GymError(
        `completion ${wrong} is neither a text nor a list of messages: ${JSON.stringify(completions[wrong])?.slice(0, 60)}`,
      );
    }
    const judgements = await judge.judge(completions, await questionsOf(completions, columns ?? {}), signal);
    return judgements.map((judgement) => (isScored(judgement) ? read(judgement) : null));
  };
  return Object.assign(call, { stats: judge.stats, dispose: judge.dispose });
}

function byKeyword<Value>(reward: BatchFn<Value>): KeywordFn<Value> {
  const call: (batch: Parameters<KeywordFn<Value>>[0]) => Promise<(Value | null)[]> = ({
    prompts = [],
    completions,
    ...others
  }) => {
    if (!Array.isArray(completions)) return Promise.reject(new GymError('completions is no list.'));
    // What is no column (a trainer's state, its callbacks) has no place here.
    const columns = Object.entries(others).filter(
      (entry): entry is [string, readonly unknown[]] =>
        Array.isArray(entry[1]) && entry[1].length === completions.length,
    );
    return reward(prompts, completions, Object.fromEntries(columns));
  };
  return Object.assign(call, { stats: reward.stats, dispose: reward.dispose });
}

function isScored(judgement: Judgement): judgement is ScoredJudgement {
  return judgement.verdict.kind === 'scored';
}
