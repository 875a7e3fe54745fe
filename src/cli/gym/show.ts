import { parseVariant } from '../../gym/cases/index.js';
import {
  type CaseSet,
  type Environment,
  languageFor,
  loadEnvironment,
  renderTask,
} from '../../gym/environment/index.js';
import type { Language } from '../../gym/language.js';
import { showValue, toPlain } from '../../gym/value.js';
import { shorten } from '../../text/index.js';
import { onePositional, readArguments } from '../arguments.js';
import { table } from './table.js';

/** `anneal gym show`: an environment as a model and as its author sees it. */
export async function run(args: string[]): Promise<number> {
  try {
    return await show(args);
  } catch (error) {
    const { noSandboxExit } = await import('./judging.js');
    return noSandboxExit(error, args.includes('--json'));
  }
}

async function show(args: string[]): Promise<number> {
  const { values, positionals } = readArguments('gym show', args, {
    variant: { type: 'string' },
    language: { type: 'string' },
    cases: { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const environment = await loadEnvironment(onePositional('gym show', positionals, 'the name of an environment'));
  const { variant, seed } = parseVariant(environment, values.variant);
  const language = languageFor(environment, values.language);
  const empty: CaseSet = { variant: variant.name, seed, cases: [], hash: '' };
  // The text of a document is written around its case; everything else can be shown without running anything.
  const needsCases = values.cases === true || environment.kind === 'document';
  const cases = needsCases ? await makeCases(environment, values.variant) : empty;
  const task = renderTask(environment, cases, language);
  console.log(
    values.json
      ? JSON.stringify(asJson(environment, task, values.cases ? cases : null), null, 2)
      : asText(environment, task, cases, values.cases === true, language),
  );
  return 0;
}

async function makeCases(environment: Environment, variant: string | undefined): Promise<CaseSet> {
  // Loaded only here: most environments are shown without anything that runs programs.
  const { openGym } = await import('../../gym/gym.js');
  const gym = await openGym({ workers: 1 });
  try {
    return await gym.cases(environment, { variant });
  } finally {
    await gym.dispose();
  }
}

function asJson(environment: Environment, task: string, set: CaseSet | null) {
  const { name, id, title, kind, difficulty, domain, family, tags, licence, provenance, limits } = environment;
  return {
    name,
    id,
    title,
    kind,
    languages: environment.languages,
    difficulty,
    domain,
    family,
    tags,
    licence,
    provenance,
    task,
    limits,
    pass_threshold: environment.passThreshold,
    floor: environment.floor,
    weights: environment.weights,
    rules: environment.rules,
    checker: describeChecker(environment),
    variants: Object.values(environment.variants).map((one) => ({
      name: one.name,
      declared: one.declared.length,
      generated: one.generated,
      seed: one.seed,
      parameters: one.parameters,
    })),
    default_variant: environment.defaultVariant,
    references: environment.references.map(({ path }) => path),
    bad_answers: environment.badAnswers.map(({ path, maxScore }) => ({ path, max_score: maxScore })),
    content_hash: environment.contentHash,
    directory: environment.directory,
    ...(set === null
      ? {}
      : {
          cases: set.cases.map((one) => ({
            id: one.id,
            input: one.input.map(toPlain),
            ...(one.expected === undefined ? {} : { expected: toPlain(one.expected) }),
            weight: one.weight,
            group: one.group,
          })),
          cases_hash: set.hash,
        }),
  };
}

function asText(environment: Environment, task: string, set: CaseSet, withCases: boolean, language: Language): string {
  const { name, id, title, kind, difficulty, domain, family, tags, limits, rules, references, badAnswers } =
    environment;
  const shownLanguages = environment.languages.length > 0 ? ` · ${environment.languages.join(', ')}` : '';
  const facts: (readonly [string, string])[] = [
    [
      'limits',
      `${limits.caseSeconds} s a case, ${limits.totalSeconds} s in all, ${limits.memoryMb} MB, ${limits.processes} processes, ${limits.outputKb} KB of output, ${limits.diskMb} MB of files`,
    ],
    ['checker', describeChecker(environment)],
    ['score', describeScore(environment)],
    ...Object.entries(rules).map(([of, { forbid, require }]) => {
      const parts = [
        forbid.length > 0 ? `without ${forbid.join(', ')}` : '',
        require.length > 0 ? `with ${require.join(', ')}` : '',
      ];
      return [`rules`, `${of}: ${parts.filter((part) => part !== '').join('; ')}`] as const;
    }),
    ['references', references.map(({ path }) => path).join(', ') || 'none'],
    [
      'bad answers',
      badAnswers.map(({ path, maxScore }) => `${path.replace(/^bad\//, '')} ≤ ${maxScore}`).join(', ') || 'none',
    ],
    ['licence', environment.licence],
    ['provenance', environment.provenance],
    ['folder', environment.directory],
    ['sha256', environment.contentHash],
  ];
  const variants = Object.values(environment.variants).map((one) => [
    `  ${one.name}${one.name === environment.defaultVariant ? ' (default)' : ''}`,
    String(one.declared.length),
    one.generated > 0 ? `${one.generated} from seed ${one.seed}` : '0',
    Object.keys(one.parameters).length > 0 ? JSON.stringify(one.parameters) : '',
  ]);
  const rule = '─'.repeat(72);
  return [
    `${title} (${name}${id === name ? '' : `, ${id}`})`,
    `${difficulty} ${kind}${shownLanguages} · ${domain} / ${family}${tags.length > 0 ? ` · ${tags.join(', ')}` : ''}`,
    `${rule}\n${task}\n${rule}`,
    `The task as a model gets it: variant ${set.variant}${environment.languages.length > 1 ? `, ${language}` : ''}.`,
    '',
    table(['  variant', 'declared', 'generated', 'parameters'], variants),
    '',
    ...facts.map(([what, text]) => `${what.padEnd(12)} ${text}`),
    ...(withCases ? ['', table(['case', 'input', 'expected', 'group'], caseRows(set, language))] : []),
  ].join('\n');
}

function caseRows({ cases }: CaseSet, language: Language): string[][] {
  return cases.map((one) => [
    one.id,
    shorten(one.input.map((value) => showValue(value, language)).join(', '), 100),
    one.expected === undefined ? '–' : shorten(showValue(one.expected, language), 100),
    one.group ?? '',
  ]);
}

function describeChecker({ checker, deepgym }: Environment): string {
  if (deepgym !== null) return 'verifier.py';
  switch (checker.kind) {
    case 'script':
      return `${checker.source.path} (${checker.functionName})`;
    case 'numeric':
      return `numeric, relative ${checker.relative}, absolute ${checker.absolute}`;
    case 'unordered':
      return `unordered, ${checker.depth} level${checker.depth === 1 ? '' : 's'}`;
    default:
      return checker.kind;
  }
}

function describeScore({ weights, passThreshold, ruleBreakCap, floor, rules }: Environment): string {
  const parts = Object.entries(weights).map(([part, weight]) => `${weight} ${part}`);
  const cap = Object.keys(rules).length > 0 ? `; at most ${ruleBreakCap} where a rule is broken` : '';
  return `${parts.join(' + ')}; passed at ${passThreshold}${cap}; worthless answers get ${floor} at most`;
}
