import type { Hono } from 'hono';
import type { z } from 'zod';
import type { NoVerdictCause } from '../../verdict.js';
import { type ServerContext, signalOf } from '../context.js';
import { judgeAll, type Submission, submissionOf } from '../judging.js';
import { bodyOf, noVerdictProblem, problem } from '../problem.js';
import * as schemas from '../schemas.js';
import { batchResult, type RunResult } from '../wire.js';

/** Verdicts on answers: one, several for one environment, one for each environment of a suite. */
export function judgeRoutes(app: Hono, context: ServerContext): void {
  const { gym, environments } = context;

  app.post('/v1/run', async (c) => {
    const body = await bodyOf(c, schemas.run);
    const submission = submissionOf(await environments.resolve(body.environment), body.model_output, body);
    const [result] = await judgeAll(gym, [submission], { parallel: 1, signal: signalOf(context, c.req.raw) });
    return c.json(verdictOrProblem(result!, typeof body.environment !== 'string'));
  });

  app.post('/v1/run/batch', async (c) => {
    const body = await bodyOf(c, schemas.batch);
    const submissions = await batchSubmissions(context, body);
    const signal = signalOf(context, c.req.raw);
    const since = performance.now();
    const results = await judgeAll(gym, submissions, { parallel: body.max_parallel, signal });
    return c.json(batchResult(results, performance.now() - since));
  });

  app.post('/v1/eval', async (c) => {
    const { suite, model_outputs: outputs, max_parallel: parallel, ...choice } = await bodyOf(c, schemas.evaluation);
    const all = await environments.suite(suite);
    const names = new Set(all.map(({ name }) => name));
    const unknown = Object.keys(outputs).filter((name) => !names.has(name));
    if (unknown.length > 0) throw problem(422, `model_outputs: not in the suite ${suite}: ${unknown.join(', ')}`);
    const answered = all.filter(({ name }) => Object.hasOwn(outputs, name));
    const submissions = answered.map((environment) => submissionOf(environment, outputs[environment.name]!, choice));
    const results = await judgeAll(gym, submissions, { parallel, signal: signalOf(context, c.req.raw) });
    const { execution_time_ms: _, total, passed, avg_score, ...batch } = batchResult(results, 0);
    const missing = all.flatMap(({ name }) => (Object.hasOwn(outputs, name) ? [] : [name]));
    // A missing answer is not passed, and counts; one without a verdict says nothing about the answer.
    const counted = total - batch.no_verdict + missing.length;
    return c.json({
      suite,
      model_name: 'unknown',
      pass_rate: counted === 0 ? null : passed / counted,
      ...batch,
      total: all.length,
      passed,
      missing,
      avg_score: counted === 0 ? null : ((avg_score ?? 0) * (total - batch.no_verdict)) / counted,
    });
  });
}

export async function batchSubmissions(
  { environments }: ServerContext,
  body: z.output<typeof schemas.batch>,
): Promise<readonly Submission[]> {
  const environment = await environments.resolve(body.environment);
  return body.outputs.map((output) => submissionOf(environment, output, body));
}

/** A single run without a verdict is an error: the verifier's, where the client sent it along. */
export function verdictOrProblem(result: RunResult, ownVerifier: boolean): RunResult {
  if (!result.no_verdict) return result;
  const cause = result.error_type as NoVerdictCause;
  if (cause === 'verifier' && ownVerifier) {
    throw problem(422, result.output, { no_verdict: true, cause });
  }
  throw noVerdictProblem({ kind: 'noVerdict', cause, message: result.output, retries: 0, ms: 0 });
}
