import type { Hono } from 'hono';
import type { Completion } from '../../reward/code-block.js';
import { componentOf } from '../../reward/component.js';
import { type Judgement, openJudge } from '../../reward/judge.js';
import { type Question, questionOf, questionOfRow } from '../../reward/question.js';
import { type ServerContext, signalOf } from '../context.js';
import { responseOf, rowOfLabel } from '../openrlhf.js';
import { bodyOf, noVerdictProblem, problem } from '../problem.js';
import * as schemas from '../schemas.js';
import { rewardsOf } from '../wire.js';

/** Rewards in the forms that trainers ask for them. */
export function trainerRoutes(app: Hono, context: ServerContext): void {
  const { gym, environments, defaultEnvironment } = context;

  function judge(completions: readonly Completion[], questions: readonly Question[], request: Request) {
    return openJudge({ gym }).judge(completions, questions, signalOf(context, request));
  }

  async function byName(
    name: string | undefined,
    choice: { variant?: string | undefined; language?: string | undefined },
  ) {
    if (name !== undefined) return questionOf(await environments.named(name), choice);
    return defaultEnvironment === null ? null : questionOf(defaultEnvironment, choice);
  }

  /** TRL and Axolotl, by the Python shim: the environment of the request, else of each row. */
  app.post('/v1/rewards', async (c) => {
    const { completions, columns, environment, component, ...choice } = await bodyOf(c, schemas.rewards);
    for (const [name, values] of Object.entries(columns)) {
      if (values.length === completions.length) continue;
      throw problem(422, `columns.${name} has ${values.length} values for ${completions.length} completions`);
    }
    const one = environment === undefined ? null : await byName(environment, choice);
    const questions = await Promise.all(
      completions.map(async (_, index) => {
        if (one !== null) return one;
        const row = { extraInfo: columns.extra_info?.[index], dataSource: columns.data_source?.[index] };
        const nameless = row.extraInfo === undefined && row.dataSource === undefined;
        const fallback = nameless ? await byName(undefined, choice) : null;
        return fallback ?? questionOfRow(row, `completion ${index}`, environments.named, choice);
      }),
    );
    const judgements = await judge(completions, questions, c.req.raw);
    return c.json(
      rewardsOf(judgements, ({ environment: of, verdict }) =>
        component === undefined ? verdict.score : componentOf(of, verdict, component),
      ),
    );
  });

  /** DeepGym's reward route. */
  app.post('/reward/score', async (c) => {
    const { prompts, outputs, environment, variant } = await bodyOf(c, schemas.scores);
    if (prompts !== undefined && prompts.length !== outputs.length) {
      throw problem(422, `there are ${prompts.length} prompts for ${outputs.length} outputs`);
    }
    const question = await byName(environment, { variant });
    if (question === null) {
      throw problem(422, 'environment is missing: name it in the request, or start the server with --environment NAME');
    }
    const judgements = await judge(
      outputs,
      outputs.map(() => question),
      c.req.raw,
    );
    return c.json(rewardsOf(judgements, ({ verdict }) => verdict.score));
  });

  /**
   * OpenRLHF's remote reward: `{query, prompts, labels}`. The environment is that of the URL (`?environment=coin_change`), else of the
   * label, else the server's. It has no word for "no verdict", so one of those fails the request, which OpenRLHF repeats.
   */
  for (const path of ['/openrlhf/reward', '/get_reward']) {
    app.post(path, async (c) => {
      const { query, prompts, labels } = await bodyOf(c, schemas.openrlhf);
      for (const [name, list] of Object.entries({ prompts, labels })) {
        if (list !== undefined && list.length !== query.length) {
          throw problem(422, `there are ${list.length} ${name} for ${query.length} queries`);
        }
      }
      if (prompts === undefined)
        throw problem(422, 'prompts is missing: without it the answer in a query cannot be told from its prompt');
      const completions = query.map((text, index) => responseOf(text, prompts[index]!, index));
      const choice = { variant: c.req.query('variant'), language: c.req.query('language') };
      const named = c.req.query('environment');
      const one = named === undefined ? null : await byName(named, choice);
      const questions = await Promise.all(
        query.map(async (_, index) => {
          if (one !== null) return one;
          const row = rowOfLabel(labels?.[index]);
          const fallback = await byName(undefined, choice);
          // With a server for one environment a plain label may be anything, such as the right answer.
          if (fallback !== null && row?.extraInfo === undefined) return fallback;
          return questionOfRow(
            row ?? { dataSource: null, extraInfo: null },
            `query ${index}`,
            environments.named,
            choice,
          );
        }),
      );
      const judgements = await judge(completions, questions, c.req.raw);
      const rewards = judgements.map(scoreOrProblem);
      const passed = judgements.map(({ verdict }) => (verdict.kind === 'scored' && verdict.passed ? 1 : 0));
      return c.json({ rewards, scores: rewards, extra_logs: { passed } });
    });
  }

  /** verl's compute_score. A dictionary with `score` is what verl takes, and what else is in it it logs. */
  app.post('/verl/compute_score', async (c) => {
    const { data_source: dataSource, solution_str: solution, extra_info: extraInfo } = await bodyOf(c, schemas.verl);
    const nameless = dataSource == null && extraInfo == null;
    const fallback = nameless ? await byName(undefined, {}) : null;
    const question = fallback ?? (await questionOfRow({ dataSource, extraInfo }, 'the request', environments.named));
    const [judgement] = await judge([solution], [question], c.req.raw);
    const score = scoreOrProblem(judgement!);
    const { verdict } = judgement!;
    return c.json({ score, acc: verdict.kind === 'scored' && verdict.passed ? 1 : 0 });
  });
}

function scoreOrProblem({ verdict }: Judgement): number {
  if (verdict.kind === 'noVerdict') throw noVerdictProblem(verdict);
  return verdict.score;
}
