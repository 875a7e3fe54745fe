import type { Environment } from '../environment/types.js';
import type { Judgement } from '../reward/judge.js';
import type { Question } from '../reward/question.js';
import type { CaseResult, Scored, Verdict } from '../verdict.js';

/** A verdict as DeepGym's clients read it, with what they lacked: the environment, and null for what nobody judged. */
export function runResult({ environment, variant, language }: Question, verdict: Verdict, sandbox: string) {
  const scored = verdict.kind === 'scored' ? verdict : null;
  return {
    environment: environment.name,
    variant,
    language,
    score: scored?.score ?? null,
    passed: scored?.passed ?? null,
    output: verdict.kind === 'scored' ? verdict.details : verdict.message,
    stdout: scored?.stdout ?? '',
    stderr: scored?.stderr ?? '',
    exit_code: scored === null ? 2 : scored.passed ? 0 : 1,
    execution_time_ms: verdict.ms,
    sandbox_id: sandbox,
    reward_components: componentsOrNull(scored),
    metrics: scored?.metrics ?? null,
    truncated: scored?.truncated ?? false,
    no_verdict: verdict.kind === 'noVerdict',
    error_type: verdict.kind === 'noVerdict' ? verdict.cause : null,
    cases: scored?.cases.map(caseResult) ?? null,
  };
}
export type RunResult = ReturnType<typeof runResult>;

function componentsOrNull(scored: Scored | null) {
  return scored === null || Object.keys(scored.rewardComponents).length === 0 ? null : scored.rewardComponents;
}

function caseResult({ id, passed, score, input, expected, actual, error, ms }: CaseResult) {
  return {
    id,
    passed,
    score,
    input_summary: input,
    expected_summary: expected,
    actual_summary: actual,
    error,
    execution_time_ms: ms,
  };
}

/** Totals over the answers that were judged; the others are counted apart. */
export function batchResult(results: readonly RunResult[], ms: number) {
  const scores = results.flatMap(({ score }) => (score === null ? [] : [score]));
  const passed = results.filter((result) => result.passed === true).length;
  return {
    results,
    total: results.length,
    passed,
    failed: scores.length - passed,
    no_verdict: results.length - scores.length,
    avg_score: scores.length === 0 ? null : scores.reduce((sum, score) => sum + score, 0) / scores.length,
    execution_time_ms: ms,
  };
}

/** What a listing says. The cases and the verifier stay here, as do the values of environment variables. */
export function listed(id: string, environment: Environment) {
  const { name, title, kind, languages, difficulty, domain, family, tags, task, licence, limits } = environment;
  return {
    id,
    name,
    title,
    kind,
    languages,
    difficulty,
    domain,
    family,
    tags,
    licence,
    task,
    timeout: limits.totalSeconds,
    variants: Object.keys(environment.variants),
    default_variant: environment.defaultVariant,
    content_hash: environment.contentHash,
    env_vars: null,
  };
}

/** Rewards of judged completions: null where there is no verdict. */
export function rewardsOf(
  judgements: readonly Judgement[],
  read: (judgement: Judgement & { verdict: Scored }) => number,
) {
  const causes: Record<string, number> = {};
  const rewards = judgements.map((judgement) => {
    const { verdict } = judgement;
    if (verdict.kind === 'scored') return read({ ...judgement, verdict });
    causes[verdict.cause] = (causes[verdict.cause] ?? 0) + 1;
    return null;
  });
  return { rewards, no_verdict: rewards.filter((reward) => reward === null).length, causes };
}
