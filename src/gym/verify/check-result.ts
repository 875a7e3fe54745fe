import { isTagged, plainNumber, showValue, type Value } from '../value.js';

/** What a checker script says about one output. */
export interface CheckResult {
  /** In [0, 1]. */
  readonly score: number;
  readonly passed: boolean;
  readonly message: string | null;
  /** Whether it judged nothing: it failed on this output, and not on the reference's. */
  readonly checkerFailed?: true;
  /** Parts of a case, where the checker looks at several things. */
  readonly checks?: readonly {
    readonly id: string;
    readonly passed: boolean;
    readonly weight: number;
    readonly message: string | null;
  }[];
}

type Fail = (what: string) => never;

/** undefined for what is no number. */
function numberOf(value: Value | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return isTagged(value) && 'f' in value ? plainNumber(value.f) : undefined;
}

/** A dict with text keys; undefined for anything else. */
function fieldsOf(value: Value | undefined): ReadonlyMap<string, Value> | undefined {
  if (!isTagged(value) || !('d' in value)) return undefined;
  const fields = new Map<string, Value>();
  for (const [key, entry] of value.d) {
    if (typeof key !== 'string') return undefined;
    fields.set(key, entry);
  }
  return fields;
}

/**
 * Reads what the function returned: a bool, a number in [0, 1], or `{score?, passed?, message?, checks?}`. `score` is by default 1 or 0 as
 * `passed` says, or the weighted share of the `checks` that passed; `passed` is by default whether the score is 1.
 * @param fail throws, with what is wrong
 */
export function readCheck(value: Value, fail: Fail): CheckResult {
  const wanted = 'wanted is a bool, a number in [0, 1] or {score, passed, message, checks}';
  if (typeof value === 'boolean') return { score: value ? 1 : 0, passed: value, message: null };
  const number = numberOf(value);
  if (number !== undefined) {
    const score = readScore(number, fail);
    return { score, passed: score === 1, message: null };
  }
  const fields = fieldsOf(value);
  if (fields === undefined) return fail(`returned ${showValue(value)}; ${wanted}`);
  for (const key of fields.keys()) {
    if (!['score', 'passed', 'message', 'checks'].includes(key)) fail(`returned the key ${key}; ${wanted}`);
  }
  const checks = readChecks(fields.get('checks'), fail);
  const passed = readBoolean(fields.get('passed'), 'passed', fail);
  const given = fields.get('score') ?? null;
  const score =
    given !== null
      ? readScore(numberOf(given) ?? (typeof given === 'boolean' ? Number(given) : Number.NaN), fail)
      : checks !== undefined
        ? share(checks)
        : passed === undefined
          ? fail(`returned ${showValue(value)}, without score, passed or checks`)
          : Number(passed);
  return {
    score,
    passed: passed ?? score === 1,
    message: readMessage(fields.get('message'), fail),
    ...(checks === undefined ? {} : { checks }),
  };
}

function readScore(score: number, fail: Fail): number {
  // NaN compares false.
  return score >= 0 && score <= 1 ? score : fail(`returned the score ${score}; wanted is a number in [0, 1]`);
}

function readBoolean(value: Value | undefined, name: string, fail: Fail): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'boolean' ? value : fail(`returned ${name}: ${showValue(value)}; wanted is a bool`);
}

function readMessage(value: Value | undefined, fail: Fail): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : fail(`returned message: ${showValue(value)}; wanted is a text`);
}

type Check = NonNullable<CheckResult['checks']>[number];

function readChecks(value: Value | undefined, fail: Fail): readonly Check[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length === 0)
    return fail(`returned checks: ${showValue(value)}; wanted is a list`);
  return value.map((item: Value, index): Check => {
    const fields = fieldsOf(item);
    const passed = readBoolean(fields?.get('passed'), 'passed', fail);
    if (fields === undefined || passed === undefined) {
      return fail(`returned the check ${showValue(item)}; wanted is {id, passed, weight, message}`);
    }
    const id = fields.get('id') ?? `check_${index}`;
    const weight = numberOf(fields.get('weight') ?? 1) ?? Number.NaN;
    if (typeof id !== 'string') return fail(`returned a check with the id ${showValue(id)}; wanted is a text`);
    if (!(weight >= 0 && Number.isFinite(weight)))
      return fail(`returned the check ${id} with a weight that is no number`);
    return { id, passed, weight, message: readMessage(fields.get('message'), fail) };
  });
}

function share(checks: readonly Check[]): number {
  const total = checks.reduce((sum, check) => sum + check.weight, 0);
  const earned = checks.reduce((sum, check) => sum + (check.passed ? check.weight : 0), 0);
  return total > 0 ? Math.min(1, earned / total) : 0;
}
