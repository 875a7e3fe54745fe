import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { packageVersion } from '../assets.js';
import type { Environment } from '../environment/types.js';
import type { Gym } from '../types.js';
import { authenticate } from './auth.js';
import type { ServerContext } from './context.js';
import { serveEnvironments } from './environments.js';
import { type JobBounds, openJobs } from './jobs.js';
import { onError, problem } from './problem.js';
import { auditRoutes } from './routes/audit.js';
import { environmentRoutes } from './routes/environments.js';
import { jobRoutes } from './routes/jobs.js';
import { judgeRoutes } from './routes/judge.js';
import { trainerRoutes } from './routes/trainers.js';

export interface GymAppOptions {
  readonly gym: Gym;
  /** Any of them opens every route but /health. null: no key is asked for. */
  readonly keys: readonly string[] | null;
  /** Served by their name beside the built-in ones. */
  readonly environments?: readonly Environment[] | undefined;
  /** The one that requests without a name are for. */
  readonly defaultEnvironment?: Environment | undefined;
  /** Default 64. */
  readonly bodyMb?: number | undefined;
  readonly jobs?: Partial<JobBounds> | undefined;
}

export interface GymApp {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Stops jobs and what is being judged. The gym stays open. */
  dispose(): Promise<void>;
}

/** The routes of `anneal gym serve`, without a socket. */
export function createGymApp(options: GymAppOptions): GymApp {
  const { gym, keys, defaultEnvironment, bodyMb = 64 } = options;
  const closing = new AbortController();
  const own = [...(options.environments ?? []), ...(defaultEnvironment === undefined ? [] : [defaultEnvironment])];
  const context: ServerContext = {
    gym,
    environments: serveEnvironments(own),
    defaultEnvironment: defaultEnvironment ?? null,
    jobs: openJobs({ running: 4, unfinished: 1000, kept: 1000, ...options.jobs }),
    version: packageVersion(),
    closing: closing.signal,
  };

  const app = new Hono();
  app.onError(onError);
  app.notFound((c) => c.json({ detail: `there is no ${c.req.method} ${c.req.path}` }, 404));
  app.get('/health', (c) => c.json({ status: 'ok', version: context.version }));
  if (keys !== null) app.use(authenticate(keys));
  app.use(
    bodyLimit({
      maxSize: bodyMb * 2 ** 20,
      onError: () => {
        throw problem(413, `the body is larger than ${bodyMb} MB`);
      },
    }),
  );
  app.get('/v1/capabilities', async (c) =>
    c.json({
      version: context.version,
      sync_run: true,
      batch_run: true,
      async_jobs: true,
      registered_environments: true,
      named_environment_run: true,
      verifier_audit: true,
      benchmark_audit: true,
      rewards: true,
      sandbox: await gym.capabilities(),
    }),
  );
  judgeRoutes(app, context);
  auditRoutes(app, context);
  environmentRoutes(app, context);
  jobRoutes(app, context);
  trainerRoutes(app, context);
  app.post('/v1/snapshots', () => {
    throw problem(501, 'sandboxes are made anew for each answer; there is nothing to take a snapshot of');
  });

  return {
    fetch: (request) => app.fetch(request),
    async dispose() {
      closing.abort();
      await context.jobs.dispose();
    },
  };
}
