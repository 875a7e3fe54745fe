import type { Hono } from 'hono';
import type { Environment } from '../../environment/types.js';
import {
  type AuditReport,
  audit as auditBenchmark,
  type EnvironmentQa,
  qa,
  type Split,
  splits,
} from '../../qa/index.js';
import { type ServerContext, signalOf } from '../context.js';
import { bodyOf, problem } from '../problem.js';
import * as schemas from '../schemas.js';

/** The checks of `anneal gym qa` and `anneal gym audit`, in the shape of DeepGym's audits. */
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

  app.post('/v1/benchmarks/audit', async (c) => {
    const body = await bodyOf(c, schemas.benchmarkAudit);
    const chosen = await Promise.all(body.environment_ids.map((id) => environments.named(id)));
    const report = await auditBenchmark(gym, chosen, {
      seed: body.seed,
      publicEvalRatio: body.public_eval_ratio,
      holdoutRatio: body.holdout_ratio,
      canaryRatio: body.canary_ratio,
      overrides: overridesOf(body.split_overrides),
      signal: signalOf(context, c.req.raw),
    });
    return c.json(benchmarkReport(body.benchmark, report));
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

function overridesOf(wanted: Readonly<Record<string, string>>): Record<string, Split> {
  const names: readonly string[] = splits;
  for (const [environment, split] of Object.entries(wanted)) {
    if (!names.includes(split)) {
      throw problem(422, `split_overrides.${environment}: there is no split ${split}; there are ${names.join(', ')}`);
    }
  }
  return wanted as Record<string, Split>;
}

function benchmarkReport(benchmark: string, report: AuditReport) {
  return {
    benchmark,
    environments: report.environments,
    split_counts: report.splitCounts,
    contamination_risk: report.contaminationRisk,
    duplicate_task_groups: report.duplicateTasks,
    duplicate_verifier_groups: report.duplicateVerifiers,
    leaks: report.leaks.map(({ kind, ...leak }) => ({ leak_type: kind, ...leak })),
    recommendations: report.recommendations,
    manifest: report.manifest.map((entry) => ({
      env_id: entry.environment,
      split: entry.split,
      task_hash: entry.taskHash,
      verifier_hash: entry.verifierHash,
      case_hashes: entry.caseHashes,
      content_hash: entry.contentHash,
      provenance: entry.provenance,
      licence: entry.licence,
      notes: entry.notes,
    })),
  };
}
