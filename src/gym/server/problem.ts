import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { didYouMean } from '../../config/index.js';
import { GymError } from '../gym-error.js';
import { SandboxError } from '../sandbox/types.js';
import type { NoVerdict } from '../verdict.js';

/** An error for the client: `{detail}`, with more where there is more to say. */
export function problem(
  status: ContentfulStatusCode,
  detail: string,
  more: Record<string, unknown> = {},
): HTTPException {
  return new HTTPException(status, { message: detail, cause: { detail, ...more } });
}

/** Nobody judged the answer: an error of the server's side with its cause, so that no client takes it for a score. */
export function noVerdictProblem({ cause, message, retries }: NoVerdict): HTTPException {
  return problem(statusOf[cause], message, { no_verdict: true, cause, retries });
}

const statusOf = {
  sandbox: 502,
  verifier: 502,
  timeout: 504,
  environment: 422,
  aborted: 503,
} as const satisfies Record<NoVerdict['cause'], ContentfulStatusCode>;

export function onError(error: Error, context: Context): Response {
  if (error instanceof HTTPException) {
    return context.json(error.cause ?? { detail: error.message || 'the request cannot be read' }, error.status);
  }
  if (error instanceof GymError) {
    // Of a row the place comes first, and what was wrong is the cause.
    const what = error.cause instanceof GymError ? error.cause : error;
    return context.json({ detail: error.message }, what.message.startsWith('there is no ') ? 404 : 422);
  }
  if (error instanceof SandboxError) {
    return context.json(
      { detail: error.message, no_verdict: true, cause: 'sandbox' },
      error.reason === 'timeout' ? 504 : 502,
    );
  }
  // The client left while it was sending; nobody reads this.
  if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return context.json({ detail: 'aborted' }, 400);
  process.stderr.write(`${error.stack ?? error}\n`);
  return context.json({ detail: 'an error inside the server; its log has more' }, 500);
}

/**
 * The JSON body, checked. 400 where it is no JSON, 422 naming each thing that is wrong. Clients may send keys that mean nothing here, but
 * not one that is nearly one of ours: `varient` would be judged by another variant than was meant.
 */
export async function bodyOf<Schema extends z.ZodType>(context: Context, schema: Schema): Promise<z.output<Schema>> {
  const text = await context.req.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw problem(400, `the body is no JSON: ${(error as Error).message}`);
  }
  if (schema instanceof z.ZodObject && typeof json === 'object' && json !== null) {
    const known = Object.keys(schema.shape);
    for (const key of Object.keys(json)) {
      const meant = known.includes(key)
        ? ''
        : didYouMean(
            key,
            known.filter((name) => !Object.hasOwn(json, name)),
          );
      if (meant !== '') throw problem(422, `${key}: unknown key${meant}`);
    }
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const issues = result.error.issues.map((issue) => ({ path: issue.path.map(String), message: issue.message }));
  const shown = issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw problem(422, shown.join('; '), { issues });
}
