import type { Hono } from 'hono';
import type { ServerContext } from '../context.js';
import { judgeAll, submissionOf } from '../judging.js';
import { bodyOf } from '../problem.js';
import * as schemas from '../schemas.js';
import { batchResult } from '../wire.js';
import { batchSubmissions } from './judge.js';

/** Work that outlives its request. */
export function jobRoutes(app: Hono, context: ServerContext): void {
  const { gym, environments, jobs } = context;

  app.post('/v1/jobs/run', async (c) => {
    const body = await bodyOf(c, schemas.run);
    const submission = submissionOf(await environments.resolve(body.environment), body.model_output, body);
    const job = jobs.start(1, async (signal, onDone) => {
      const [result] = await judgeAll(gym, [submission], { parallel: 1, signal, onDone });
      // As an error, for nobody to read a score out of it.
      if (result!.no_verdict) throw new Error(`no verdict (${result!.error_type}): ${result!.output}`);
      return result;
    });
    return c.json(job, 202);
  });

  app.post('/v1/jobs/batch', async (c) => {
    const body = await bodyOf(c, schemas.batch);
    const submissions = await batchSubmissions(context, body);
    const job = jobs.start(submissions.length, async (signal, onDone) => {
      const since = performance.now();
      const results = await judgeAll(gym, submissions, { parallel: body.max_parallel, signal, onDone });
      return batchResult(results, performance.now() - since);
    });
    return c.json(job, 202);
  });

  app.get('/v1/jobs/:id', (c) => c.json(jobs.get(c.req.param('id'))));
  app.post('/v1/jobs/:id/cancel', (c) => c.json(jobs.cancel(c.req.param('id'))));
}
