import type { Hono } from 'hono';
import type { Environment } from '../../environment/types.js';
import { type EnvironmentQa, qa } from '../../qa/index.js';
import { type ServerContext, signalOf } from '../context.js';
import { bodyOf, problem } from '../problem.js';
import * as schemas from '../schemas.js';

/** Whether an environment can be cheated: the gate of `anneal gym qa`, in the shape of DeepGym's audit. */
export function auditRoutes(app: Hono, context: ServerContext): void {
  const { environments, gym } = context;

  app.post('/v1/audit/verifier', async (c) => {
    const body = await bodyOf(c, schemas.verifierAudit);
    const environment = await environments.resolve(body.environment);
    return c.json(await audit(environment, body, signalOf(context, c.req.raw)));
  });

  app.post('/v1/environments/:id{.+}/audit', async (c) => {
    const body = await bodyOf(c, schemas.namedAudit);
    const environment = await environments.named(c.req.param('id'));
    return c.json(await audit(environment, body, signalOf(context, c.req.raw)));
  });

  async function audit(environment: Environment, body: AuditBody, signal: AbortSignal) {
    const wanted = body.strategies ?? [undefined];
    if (wanted.length === 0) throw problem(422, 'strategies is empty; leave it out for all of them');
    const results: EnvironmentQa[] = [];
    for (const attack of wanted) {
      const report = await qa(gym, [environment], {
        signal,
        ...(attack !== undefined && { attack, mutants: 0, repeats: 1 }),
      });
      results.push(...report.results);
    }
    return auditReport(environment, body, results);
  }
}

interface AuditBody {
  readonly verifier_id?: string | undefined;
  readonly benchmark: string;
  readonly strategies?: readonly string[] | undefined;
}

function auditReport(environment: Environment, body: AuditBody, results: readonly EnvironmentQa[]) {
  const attacks = results.flatMap((result) => result.attacks);
  const exploits = attacks.filter(({ success }) => success !== null).length;
  const failures = results.flatMap((result) => result.failures);
  const cheap = failures.some(({ kind }) => kind === 'worthless');
  const exploitable = exploits > 0 || cheap;
  const rate = attacks.length === 0 ? 0 : exploits / attacks.length;
  const risk = exploitable ? Math.max(0.55, rate) : 0;
  return {
    verifier_id: body.verifier_id ?? environment.name,
    benchmark: body.benchmark,
    verifier_hash: environment.contentHash,
    passed: results.every(({ passed }) => passed),
    exploitable,
    risk_score: risk,
    risk_level: risk >= 0.85 ? 'critical' : risk >= 0.65 ? 'high' : risk >= 0.35 ? 'medium' : 'low',
    attacks_run: attacks.length,
    exploits_found: exploits,
    recommendations: failures.map(({ message }) => message),
    report: results,
    // Reports are the client's to keep.
    stored: false,
  };
}
