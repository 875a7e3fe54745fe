import { availableParallelism } from 'node:os';
import type { Environment, SourceFile } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import type { Language } from '../language.js';
import { createLimiter } from '../limiter.js';
import type { Gym, RunOptions } from '../types.js';
import type { Verdict } from '../verdict.js';
import { type Attack, attackLanguages, loadAttacks } from './attacks.js';
import { type Canary, openCanary } from './canary.js';
import { caseSets } from './case-sets.js';
import { mutants } from './mutants.js';
import type { AttackResult, EnvironmentQa, Finding, QaReport, SurvivingMutant } from './report.js';
import { summarise } from './report.js';
import { hurried, type InParallel, runAttacks } from './run-attacks.js';
import { worthlessAnswers } from './worthless.js';

export interface QaOptions {
  /** Runs of each reference on the default variant, to see whether scores differ. Default 3. */
  readonly repeats?: number | undefined;
  /** Only attacks of this name. */
  readonly attack?: string | undefined;
  /** Mutants of each reference. Default 24. */
  readonly mutants?: number | undefined;
  /** Answers under judgement at a time. Default: the number of cores. */
  readonly parallel?: number | undefined;
  /** Called as each environment is done. */
  readonly onResult?: (result: EnvironmentQa) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The gate that an environment must pass: its references score 1, answers without worth stay at its floor, no attack succeeds, changed
 * references score less, equal answers get equal scores, known-bad answers get no more than they may.
 * @throws GymError when there is no such attack, or the gym does not isolate; SandboxError when the sandbox cannot be used at all
 */
export async function qa(gym: Gym, environments: readonly Environment[], options: QaOptions = {}): Promise<QaReport> {
  const attacks = chosen(await loadAttacks(), options.attack);
  const { isolated, name } = await gym.capabilities();
  if (!isolated) {
    throw new GymError(
      `The attacks are real: sandbox ${name} would let them loose on this machine. Use one that isolates.`,
    );
  }
  const canary = await openCanary();
  const results: EnvironmentQa[] = [];
  try {
    for (const environment of environments) {
      options.signal?.throwIfAborted();
      const result = await examine(gym, environment, attacks, canary, options);
      results.push(result);
      options.onResult?.(result);
    }
  } finally {
    await canary.close();
  }
  return { ...summarise(results), results };
}

function chosen(attacks: readonly Attack[], name: string | undefined): readonly Attack[] {
  if (name === undefined) return attacks;
  const found = attacks.filter((attack) => attack.name === name);
  if (found.length > 0) return found;
  const names = [...new Set(attacks.map((attack) => attack.name))].sort();
  throw new GymError(`There is no attack ${name}. There are ${names.join(', ')}.`);
}

const repeatsByDefault = 3;
const mutantsByDefault = 24;
/** With fewer mutants, that all are alive says little. */
const fewMutants = 3;

async function examine(
  gym: Gym,
  environment: Environment,
  attacks: readonly Attack[],
  canary: Canary,
  options: QaOptions,
): Promise<EnvironmentQa> {
  const since = performance.now();
  const { signal, repeats = repeatsByDefault } = options;
  const limited = createLimiter(options.parallel ?? availableParallelism());
  const inParallel: InParallel = (items, each) => Promise.all(items.map((item) => limited(() => each(item))));
  const failures: Finding[] = [];
  const warnings: Finding[] = [];
  const fail = (kind: Finding['kind'], message: string) => failures.push({ kind, message });
  const isDocument = environment.kind === 'document';
  const given = { signal };
  /** A document is in no programming language. */
  const judge = async (text: string, { variant, language }: RunOptions, target = environment) => {
    const verdict = await gym.run(target, text, {
      variant,
      ...(language === undefined || isDocument ? {} : { language }),
      ...given,
    });
    signal?.throwIfAborted();
    return verdict;
  };
  const judgeReference = async (source: SourceFile, options: RunOptions, target = environment): Promise<Verdict> => {
    try {
      return await judge(await gym.reference(environment, source, { ...options, ...given }), options, target);
    } catch (error) {
      if (signal?.aborted) throw error;
      return { kind: 'noVerdict', cause: 'environment', message: (error as Error).message, retries: 0, ms: 0 };
    }
  };

  const result = {
    environment: environment.name,
    references: { runs: 0, failed: 0 },
    worthless: { answers: 0, highest: 0, floor: environment.floor },
    badAnswers: 0,
    attacks: [] as readonly AttackResult[],
    mutants: { made: 0, killed: 0, survived: [] as SurvivingMutant[] },
  };
  const done = (): EnvironmentQa => ({
    ...result,
    passed: failures.length === 0,
    failures,
    warnings,
    seconds: (performance.now() - since) / 1000,
  });

  const { sets: variants, problems } = await caseSets(gym, environment, signal);
  for (const problem of problems) fail('unusable', problem);
  if (problems.length > 0) return done();

  const references = referencesOf(environment);
  if (references.length === 0) fail('reference', 'There is no reference.');
  const everywhere = cross(references, variants);
  await inParallel(everywhere, async ([{ source, language }, { variant }]) => {
    result.references.runs++;
    const verdict = await judgeReference(source, { variant, language });
    if (verdict.kind === 'scored' && verdict.score === 1) return;
    result.references.failed++;
    fail('reference', `${source.path} as ${language} on ${variant}: ${say(verdict)}`);
  });

  await inParallel(references, async ({ source, language }) => {
    const scores = new Set<string>();
    for (let run = 0; run < repeats; run++) scores.add(shortly(await judgeReference(source, { language })));
    if (scores.size > 1) fail('flaky', `${source.path} as ${language}: ${repeats} runs gave ${[...scores].join(', ')}`);
  });

  const worthless = cross(isDocument ? ['python' as const] : spokenLanguages(environment), variants).flatMap(
    ([language, cases]) =>
      worthlessAnswers(environment, cases, language).map((answer) => ({ language, answer, ...cases })),
  );
  await inParallel(worthless, async ({ language, answer, variant }) => {
    result.worthless.answers++;
    const verdict = await judge(answer.text, { variant, language });
    if (verdict.kind === 'scored') result.worthless.highest = Math.max(result.worthless.highest, verdict.score);
    if (verdict.kind === 'scored' && verdict.score <= environment.floor) return;
    fail(
      'worthless',
      `${answer.name} as ${language} on ${variant}: ${say(verdict)}; the floor is ${environment.floor}`,
    );
  });

  await inParallel(cross(environment.badAnswers, variants), async ([bad, { variant }]) => {
    result.badAnswers++;
    const verdict = await judge(bad.text, { variant, language: bad.language });
    if (verdict.kind === 'scored' && verdict.score <= bad.maxScore) return;
    fail('bad-answer', `${bad.path} on ${variant}: ${say(verdict)}; it may get ${bad.maxScore}`);
  });

  const languages = attackLanguages(environment);
  const applying = attacks.filter((attack) => languages.includes(attack.language));
  result.attacks = await runAttacks(gym, environment, applying, canary, inParallel, signal);
  for (const { name, language, success } of result.attacks) {
    if (success !== null) fail('attack', `${name} in ${language}: ${success}`);
  }
  await afterAttacks();

  await tryMutants();
  return done();

  /** The gym still works, and nothing that was left lying about runs in later answers. */
  async function afterAttacks(): Promise<void> {
    for (const touch of await canary.touched()) fail('attack', `an attack ${touch.how}`);
    await inParallel(references, async ({ source, language }) => {
      const verdict = await judgeReference(source, { language });
      if (verdict.kind !== 'scored' || verdict.score !== 1) {
        fail('attack', `after the attacks ${source.path} as ${language} no longer scores 1: ${say(verdict)}`);
      } else if (`${verdict.stdout}${verdict.stderr}`.includes(`${canary.mark}planted`)) {
        fail('attack', `what an attack left behind ran in ${source.path} as ${language}`);
      }
    });
  }

  async function tryMutants(): Promise<void> {
    const quick = hurried(environment);
    const limit = options.mutants ?? mutantsByDefault;
    const made = environment.references.flatMap((source) =>
      mutants(source.text, source.language, limit).map((mutant) => ({ source, mutant })),
    );
    await inParallel(made, async ({ source, mutant }) => {
      result.mutants.made++;
      for (const { variant } of variants) {
        const changed = { ...source, text: mutant.text };
        const verdict = await judgeReference(changed, { variant, language: source.language }, quick);
        // Changed, the reference of a document may well write none.
        if (verdict.kind === 'noVerdict' && !isDocument)
          warnings.push({
            kind: 'mutant',
            message: `${source.path}:${mutant.line}: ${mutant.change}: ${say(verdict)}`,
          });
        if (verdict.kind === 'noVerdict' || verdict.score < 1) {
          result.mutants.killed++;
          return;
        }
      }
      result.mutants.survived.push({ reference: source.path, line: mutant.line, change: mutant.change });
    });
    result.mutants.survived.sort((a, b) => a.reference.localeCompare(b.reference) || a.line - b.line);
    for (const { reference, line, change } of result.mutants.survived) {
      warnings.push({ kind: 'mutant', message: `${reference}:${line}: ${change} scores 1 on every variant` });
    }
    if (made.length >= fewMutants && result.mutants.killed === 0) {
      fail('mutant', `all ${made.length} changed references score 1: the cases do not tell right from wrong`);
    }
  }
}

/** TypeScript runs as JavaScript does: once is enough. */
function spokenLanguages({ languages }: Environment): readonly Language[] {
  return languages.filter((language) => language !== 'typescript' || !languages.includes('javascript'));
}

interface Reference {
  readonly source: SourceFile;
  readonly language: Language;
}

/** Every reference in its language; JavaScript is TypeScript, too. */
function referencesOf({ references, languages }: Environment): readonly Reference[] {
  const own = references.map((source) => ({ source, language: source.language }));
  const typed = languages.includes('typescript') && !own.some(({ language }) => language === 'typescript');
  return typed
    ? [
        ...own,
        ...own
          .filter(({ language }) => language === 'javascript')
          .map(({ source }) => ({ source, language: 'typescript' as const })),
      ]
    : own;
}

const cross = <A, B>(as: readonly A[], bs: readonly B[]): (readonly [A, B])[] =>
  as.flatMap((a) => bs.map((b) => [a, b] as const));

const shortly = (verdict: Verdict): string => (verdict.kind === 'scored' ? String(verdict.score) : 'no verdict');

function say(verdict: Verdict): string {
  if (verdict.kind === 'noVerdict') return `no verdict (${verdict.cause}: ${verdict.message})`;
  const failed = verdict.cases.find((one) => !one.passed);
  const why =
    failed === undefined ? '' : `; ${failed.id}: ${failed.error ?? `${failed.actual} for ${failed.expected}`}`;
  return `${verdict.score} (${verdict.details}${why})`;
}
