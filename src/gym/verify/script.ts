import type { Case, CaseSet, Environment, ScriptSpec, SourceFile } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import { isRecord } from '../is-record.js';
import type { Language } from '../language.js';
import type { GymContext } from '../types.js';
import { showValue, toPlain, toValue, type Value } from '../value.js';
import type { CaseResult, Scored } from '../verdict.js';
import type { CheckResult } from './check-result.js';
import { runChecker } from './checker.js';
import { type Collected, collect } from './collect.js';
import { type Launched, launch, launchLimits } from './launch.js';
import { withParts } from './parts.js';
import { brief, scored, sumCases, tooLong, type WeighedCase, worthless } from './score.js';

const interpreters: Readonly<Partial<Record<Language, string>>> = {
  bash: 'bash',
  python: 'python3',
  javascript: 'node',
};

/**
 * Runs the answer once per case, each time in a sandbox of its own, and judges what it printed, what it left in the work directory and
 * what the service beside it saw.
 *
 * The checker gets `{stdout, stderr, exit_code, killed_by, files, files_cut, service}`; see `Launched` and `Collected`. In a case's
 * `env` and `arguments`, `{{work}}` stands for the work directory's absolute path.
 * @throws SandboxError, VerifierError, GymError where nobody can judge
 */
export async function verifyScript(
  context: GymContext,
  environment: Environment,
  cases: CaseSet,
  answer: string,
  language: Language,
  signal?: AbortSignal,
): Promise<Scored> {
  const since = performance.now();
  const { script, limits } = environment;
  if (script === null) throw new GymError(`${environment.name} is no script environment`);
  const command = commandOf(environment, script, language);
  if (cases.cases.length === 0) throw new GymError(`${environment.name}: variant ${cases.variant} has no cases`);
  const refused = tooLong(answer);
  if (refused !== null) return worthless(environment, refused, since);

  const deadline = since + limits.totalSeconds * 1000;
  const runs: CaseRun[] = [];
  for (const one of cases.cases) {
    const left = (deadline - performance.now()) / 1000;
    if (left <= 0) break;
    runs.push(
      await runCase(context, environment, script, one, answer, command, Math.min(left, limits.caseSeconds), signal),
    );
  }
  const reference = environment.references[0] ?? null;
  const outputsOf = async ({ text, language }: SourceFile, indices: readonly number[]) => {
    const outputs: Value[] = [];
    for (const index of indices) {
      const one = cases.cases[index]!;
      const command = commandOf(environment, script, language);
      const run = await runCase(context, environment, script, one, text, command, limits.caseSeconds, signal);
      outputs.push(outputOf(run));
    }
    return outputs;
  };
  const checks = await runChecker(
    context,
    environment,
    runs.map((run) => ({
      input: run.one.input[0] ?? null,
      output: outputOf(run),
      expected: run.one.expected ?? null,
    })),
    { reference: reference && ((indices) => outputsOf(reference, indices)), signal },
  );
  const weighed = cases.cases.map((one, index): WeighedCase => {
    const { id, weight, group } = one;
    const [run, check] = [runs[index], checks[index]];
    if (run === undefined || check === undefined) return { result: notRun(id, environment), weight, group };
    return { result: resultOf(one, run, check), weight, group, checkerFailed: check.checkerFailed };
  });
  const { correctness, cases: summed, metrics } = sumCases(weighed);
  const results = summed.flatMap((result, index) => withParts(result, checks[index], runs[index]?.launched.problem));
  const last = runs.at(-1)?.launched;
  return scored(environment, {
    correctness,
    cases: results,
    metrics,
    truncated: runs.length < cases.cases.length,
    stdout: last?.stdout ?? '',
    stderr: last?.stderr ?? '',
    since,
  });
}

function commandOf(
  environment: Environment,
  script: ScriptSpec,
  language: Language,
): { entry: string; words: string[] } {
  const entry = script.entry[language];
  const interpreter = interpreters[language];
  if (entry === undefined || interpreter === undefined) {
    throw new GymError(`${environment.name} takes no ${language}; it takes ${Object.keys(script.entry).join(', ')}`);
  }
  return { entry, words: [interpreter, entry] };
}

interface CaseRun {
  readonly one: Case;
  readonly launched: Launched;
  readonly collected: Collected;
}

async function runCase(
  context: GymContext,
  environment: Environment,
  script: ScriptSpec,
  one: Case,
  answer: string,
  command: { readonly entry: string; readonly words: readonly string[] },
  seconds: number,
  signal?: AbortSignal,
): Promise<CaseRun> {
  const input = readInput(environment, one);
  const sandbox = await context.sandboxes.create({
    limits: launchLimits(environment.limits),
    files: { ...script.files, ...input.files, [command.entry]: answer },
    signal,
  });
  try {
    const work = (text: string) => text.replaceAll('{{work}}', sandbox.directory);
    const launched = await launch(sandbox, {
      command: [...command.words, ...input.arguments.map(work)],
      env: Object.fromEntries(Object.entries(input.env).map(([name, value]) => [name, work(value)])),
      stdin: input.stdin,
      seconds,
      outputKb: environment.limits.outputKb,
      service: script.service && { source: script.service.text, input: input.service },
      signal,
    });
    return { one, launched, collected: await collect(sandbox, signal) };
  } finally {
    await sandbox.dispose();
  }
}

/** The keys of a script case's dict that have a meaning here; others are for the checker. */
interface ScriptInput {
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly arguments: readonly string[];
  readonly stdin: string;
  readonly service: unknown;
}

/** @throws GymError naming the case and the key */
export function readInput(environment: Environment, one: Case): ScriptInput {
  const plain = toPlain(one.input[0] ?? null);
  const input = isRecord(plain) ? plain : {};
  const bad = (key: string, wanted: string) =>
    new GymError(`${environment.name}: case ${one.id}: ${key}: expected ${wanted}`);
  const texts = (key: string): Record<string, string> => {
    const value = input[key] ?? {};
    if (!isRecord(value) || !Object.values(value).every((text) => typeof text === 'string')) {
      throw bad(key, 'a mapping to texts');
    }
    return value as Record<string, string>;
  };
  const list = input.arguments ?? [];
  if (!Array.isArray(list) || !list.every((text) => typeof text === 'string'))
    throw bad('arguments', 'a list of texts');
  const stdin = input.stdin ?? '';
  if (typeof stdin !== 'string') throw bad('stdin', 'a text');
  return { files: texts('files'), env: texts('env'), arguments: list, stdin, service: input.service ?? null };
}

function outputOf({ launched, collected }: CaseRun): Value {
  return toValue({
    stdout: launched.stdout,
    stderr: launched.stderr,
    exit_code: launched.exitCode,
    killed_by: launched.killedBy,
    files: collected.files,
    files_cut: collected.cut,
    service: launched.service,
  });
}

function resultOf(one: Case, { launched }: CaseRun, check: CheckResult): CaseResult {
  const failed = check.checks
    ?.filter((part) => !part.passed)
    .map(({ id, message }) => (message === null ? id : `${id}: ${message}`));
  const reasons = [launched.problem, check.message, ...(failed ?? [])].filter((reason) => reason !== null);
  return {
    id: one.id,
    passed: check.passed,
    score: check.score,
    input: brief(showValue(one.input[0] ?? null)),
    expected: one.expected === undefined ? '' : brief(showValue(one.expected)),
    actual: brief(launched.stdout),
    error: check.passed ? null : brief(reasons.join('; ') || 'wrong'),
    ms: launched.ms,
  };
}

function notRun(id: string, { limits }: Environment): CaseResult {
  const error = `the ${limits.totalSeconds} s for all cases ran out`;
  return { id, passed: false, score: 0, input: '', expected: '', actual: '', error, ms: 0 };
}
