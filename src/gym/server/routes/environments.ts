import type { Hono } from 'hono';
import { z } from 'zod';
import { type ServerContext, signalOf } from '../context.js';
import { judgeAll, submissionOf } from '../judging.js';
import { bodyOf } from '../problem.js';
import * as schemas from '../schemas.js';
import { listed } from '../wire.js';
import { verdictOrProblem } from './judge.js';

/** Environments by id: what there is, one's own, and verdicts by them. An id may have slashes, as names have. */
export function environmentRoutes(app: Hono, context: ServerContext): void {
  const { environments, gym } = context;

  app.get('/v1/environments', async (c) =>
    c.json((await environments.list()).map(([id, environment]) => listed(id, environment))),
  );

  app.post('/v1/environments', async (c) => {
    const { id } = environments.add(await bodyOf(c, z.record(z.string(), z.unknown())));
    return c.json({ id, created: true }, 201);
  });

  app.post('/v1/environments/:id{.+}/run', async (c) => {
    const id = c.req.param('id');
    const body = await bodyOf(c, schemas.namedRun);
    const submission = submissionOf(await environments.named(id), body.model_output, body);
    const [result] = await judgeAll(gym, [submission], { parallel: 1, signal: signalOf(context, c.req.raw) });
    return c.json(verdictOrProblem(result!, submission.question.environment.directory === ''));
  });

  app.get('/v1/environments/:id{.+}', async (c) => {
    const id = c.req.param('id');
    return c.json(listed(id, await environments.named(id)));
  });
}
