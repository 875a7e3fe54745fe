import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean, type LocatedProblem, type Problem, problemsOf, readSource } from '../../config/index.js';
import { type Language, languageOfFile } from '../language.js';
import { loadDeepGym } from './deepgym.js';
import { type Folder, readFolder, shownPath } from './folder.js';
import { freeze } from './freeze.js';
import { EnvironmentError, fileProblem, type Report } from './problems.js';
import { programFile, readEpisode, readScript, readSignature } from './read-blocks.js';
import { keys, type Parsed, schema } from './schema.js';
import { sourceFile } from './source-files.js';
import type {
  Checker,
  Environment,
  EnvironmentKind,
  EnvironmentLimits,
  EpisodeSpec,
  ScriptSpec,
  SourceFile,
  SourceRules,
} from './types.js';
import { readVariants } from './variants.js';

const definitionFile = 'environment.yaml';
const taskFile = 'task.md';
const maxTaskCharacters = 100_000;

/** Keys as they were written that are valid by themselves; the others are missing. */
type Valid = { readonly [K in keyof Parsed]?: Parsed[K] | undefined };

/**
 * Loads an environment from its folder, either kind: with `environment.yaml`, or a DeepGym folder with `verifier.py`. `registered` is what a
 * `registry.json` says about the latter.
 * @throws EnvironmentError naming everything that is wrong; GymError for files that cannot be read
 */
export function loadFolder(directory: string, name: string, registered?: Record<string, unknown>): Environment {
  // Looked at first, so that a folder of something else is not read whole.
  const has = (file: string) => existsSync(join(directory, file));
  if (has(definitionFile)) return loadNative(readFolder(directory), name);
  if (has('verifier.py') && has(taskFile)) return loadDeepGym(readFolder(directory), name, registered);
  const missing = has('verifier.py') ? `a ${taskFile} beside its verifier.py` : `an ${definitionFile}`;
  throw new EnvironmentError([fileProblem(shownPath(directory), `no environment: it lacks ${missing}`)]);
}

function loadNative(folder: Folder, name: string): Environment {
  const file = `${folder.shown}/${definitionFile}`;
  const source = readSource(folder.text(definitionFile), file, { what: 'file' });
  if (source.problems.length > 0) throw new EnvironmentError(source.problems);

  const problems: LocatedProblem[] = [];
  const reportProblem = (problem: Problem) =>
    problems.push({ ...problem, where: source.locate(problem.path, problem.about) });
  const report: Report = (path, message, about = 'value') => reportProblem({ path, message, about });
  const add = (problem: LocatedProblem) => problems.push(problem);
  const valid = parseKeys(source.data, reportProblem);

  const task = readTask(folder, taskFile, (message) => add(fileProblem(`${folder.shown}/${taskFile}`, message)));
  const kind = valid.kind ?? 'function';
  const signature = readSignature(valid.function, report);
  const script = readScript(folder, valid.script, report);
  const episode = readEpisode(folder, valid.episode, report);
  checkBlocks(kind, source.data, episode, report);
  const languages = readLanguages(kind, valid, source.data.languages !== undefined, script, episode, report);
  const checker = readChecker(folder, kind, valid, episode, report);
  const references = folder.paths.filter((path) => isReference(path, kind)).map((path) => sourceFile(folder, path));
  if (references.length === 0 && kind !== 'document') {
    const wanted = languages.map((language) => `reference.${extensions[language]}`).join(' or ') || 'reference.py';
    add(fileProblem(folder.shown, `no reference solution; expected ${wanted}`));
  }
  const generator = readGenerator(folder, add);
  const rules = readRules(valid.rules ?? {}, languages, report);
  const variants = readVariants({
    folder,
    kind,
    single: kind === 'document' || (kind === 'episode' && episode?.answerFile === null),
    declared: valid.variants ?? {},
    hasGenerator: generator !== null,
    signature,
    // Without a signature that can be read, every row would be wrong for a reason told already.
    readCases: signature !== null || !(kind === 'function' || (kind === 'episode' && episode?.answerFile !== null)),
    report,
    add,
    readTask: (path, fail) => readTask(folder, path, fail),
  });
  const badAnswers = readBadAnswers(folder, kind, valid, report);
  const weights = readWeights(valid.weights, Object.keys(rules).length > 0, report);

  if (problems.length > 0) {
    const order = ({ path, where }: LocatedProblem) =>
      where.startsWith(file) ? source.offset(path) : Number.MAX_SAFE_INTEGER;
    throw new EnvironmentError([...problems].sort((a, b) => order(a) - order(b)));
  }
  const parsed = valid as Parsed;
  return freeze({
    name,
    id: parsed.id ?? name,
    title: parsed.name,
    kind,
    languages,
    difficulty: parsed.difficulty,
    domain: parsed.domain,
    family: parsed.family,
    tags: parsed.tags,
    licence: parsed.licence,
    provenance: parsed.provenance,
    task,
    limits: limitsOf(kind, parsed.limits),
    passThreshold: parsed.pass_threshold,
    weights,
    ruleBreakCap: parsed.rule_break_cap,
    floor: parsed.floor,
    signature,
    script,
    episode,
    deepgym: null,
    checker,
    rules,
    generator,
    references: byLanguage(references, languages),
    badAnswers,
    ...variants,
    directory: folder.directory,
    contentHash: folder.hash,
  });
}

function parseKeys(data: Record<string, unknown>, report: (problem: Problem) => void): Valid {
  const valid: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(keys)) {
    const result = part.safeParse(data[key]);
    if (result.success) valid[key] = result.data;
    else for (const issue of result.error.issues) problemsOf(schema, issue, data, [key]).forEach(report);
  }
  for (const key of Object.keys(data)) {
    if (Object.hasOwn(keys, key)) continue;
    report({ path: [key], message: `unknown key${didYouMean(key, Object.keys(keys))}`, about: 'key' });
  }
  return valid;
}

function readTask(folder: Folder, path: string, fail: (message: string) => void): string {
  if (!folder.has(path)) {
    fail('missing; it is the text that a model is given');
    return '';
  }
  const text = folder.text(path).replaceAll('\r\n', '\n').trim();
  if (text === '') fail('empty; it is the text that a model is given');
  if (text.length > maxTaskCharacters) fail(`${text.length} characters; a task may have ${maxTaskCharacters}`);
  return text;
}

/** Whether the blocks `function`, `script` and `episode` are those that the kind has. */
function checkBlocks(
  kind: EnvironmentKind,
  data: Record<string, unknown>,
  episode: EpisodeSpec | null,
  report: Report,
): void {
  const wanted = {
    function: ['function'],
    script: ['script'],
    document: [],
    episode: episode?.answerFile ? ['episode', 'function'] : ['episode'],
  }[kind] as readonly string[];
  for (const block of ['function', 'script', 'episode']) {
    const given = data[block] !== undefined;
    if (given && !wanted.includes(block)) {
      // An episode's function is refused only once the episode itself could be read.
      if (kind === 'episode' && episode === null) continue;
      const reason = kind === 'episode' ? 'without an answer_file' : '';
      report([block], `an environment of kind ${kind} ${reason === '' ? '' : `${reason} `}has no ${block}`, 'key');
    }
    if (!given && wanted.includes(block)) report([block], `missing; an environment of kind ${kind} needs it`);
  }
}

const extensions: Readonly<Record<Language, string>> = { python: 'py', javascript: 'js', typescript: 'ts', bash: 'sh' };

function readLanguages(
  kind: EnvironmentKind,
  valid: Valid,
  written: boolean,
  script: ScriptSpec | null,
  episode: EpisodeSpec | null,
  report: Report,
): readonly Language[] {
  const given = valid.languages;
  if (kind === 'document' || (kind === 'episode' && episode?.answerFile == null)) {
    if (given !== undefined && given.length > 0)
      report(
        ['languages'],
        `the answer of a ${kind === 'document' ? 'document' : 'task in steps'} has no language; leave the key out`,
      );
    return [];
  }
  if (kind === 'script') {
    const entries = Object.keys(script?.entry ?? {}) as Language[];
    if (script !== null && entries.length === 0)
      report(['script', 'entry'], 'expected a file name for one language at least');
    for (const [index, language] of (given ?? []).entries()) {
      if (script !== null && !entries.includes(language)) {
        report(['languages', index], `script.entry has no file name for ${language}`);
      }
    }
    return given ?? entries;
  }
  if (kind === 'episode') {
    const language = languageOfFile(episode!.answerFile!);
    if (language === null) report(['episode', 'answer_file'], 'expected a .py, .js or .ts file');
    return given ?? (language === null ? [] : [language]);
  }
  // What is written but wrong has been told already.
  if (given === undefined && written) return [];
  if (given === undefined || given.length === 0) {
    report(['languages'], 'missing; expected a list of python, javascript, typescript');
    return [];
  }
  for (const [index, language] of given.entries()) {
    if (language === 'bash') report(['languages', index], 'a function is written in python, javascript or typescript');
  }
  return given;
}

function readChecker(
  folder: Folder,
  kind: EnvironmentKind,
  valid: Valid,
  episode: EpisodeSpec | null,
  report: Report,
): Checker {
  const given = valid.checker ?? 'structural';
  const needsScript = kind === 'script' || kind === 'document' || (kind === 'episode' && episode?.answerFile === null);
  if (typeof given === 'object' && 'script' in given) {
    const source = programFile(folder, given.script, ['checker', 'script'], report);
    return source === null ? { kind: 'structural' } : { kind: 'script', source, functionName: given.function };
  }
  if (needsScript && valid.checker !== undefined) {
    report(['checker'], `an environment of kind ${kind} is checked by a script: {script: checker.js}`);
  }
  if (given === 'exact' || given === 'structural') return { kind: given };
  if (given === 'unordered') return { kind: 'unordered', depth: 1 };
  if (given === 'numeric') return { kind: 'numeric', relative: 1e-9, absolute: 1e-12 };
  if ('unordered' in given) return { kind: 'unordered', depth: given.unordered };
  return { kind: 'numeric', ...given.numeric };
}

const documentExtensions = /\.(md|txt|json)$/;

function isReference(path: string, kind: EnvironmentKind): boolean {
  if (!/^reference([-_][\w-]+)?\.\w+$/.test(path)) return false;
  return languageOfFile(path) !== null || (kind === 'document' && documentExtensions.test(path));
}

/** In the order of the environment's languages, so that the first can compute what is expected. */
function byLanguage(references: readonly SourceFile[], languages: readonly Language[]): SourceFile[] {
  const order = ({ language }: SourceFile) =>
    languages.includes(language) ? languages.indexOf(language) : languages.length;
  return [...references].sort((a, b) => order(a) - order(b));
}

function readGenerator(folder: Folder, add: (problem: LocatedProblem) => void): Environment['generator'] {
  const [path, second] = folder.paths.filter((name) => /^generator\.(js|mjs|ts|py)$/.test(name));
  if (second !== undefined)
    add(fileProblem(`${folder.shown}/${second}`, `there is ${path} as well; keep one generator`));
  return path === undefined ? null : { source: sourceFile(folder, path), functionName: 'generate' };
}

function readRules(
  given: NonNullable<Valid['rules']>,
  languages: readonly Language[],
  report: Report,
): Environment['rules'] {
  const rules: Partial<Record<Language, SourceRules>> = {};
  for (const [language, rule] of Object.entries(given) as [Language, SourceRules][]) {
    const known = languages.includes(language) || (language === 'javascript' && languages.includes('typescript'));
    if (!known) report(['rules', language], 'the environment does not have this language', 'key');
    rules[language] = rule;
  }
  if (languages.includes('typescript') && rules.javascript !== undefined) rules.typescript ??= rules.javascript;
  return rules;
}

function readBadAnswers(
  folder: Folder,
  kind: EnvironmentKind,
  valid: Valid,
  report: Report,
): Environment['badAnswers'] {
  const limits = valid.bad_answers ?? {};
  for (const path of Object.keys(limits)) {
    if (!folder.has(`bad/${path}`)) {
      const there = folder.paths.filter((name) => name.startsWith('bad/')).map((name) => name.slice(4));
      report(['bad_answers', path], `there is no file bad/${path}${didYouMean(path, there)}`, 'key');
    }
  }
  return folder.paths
    .filter((path) => path.startsWith('bad/') && (languageOfFile(path) !== null || kind === 'document'))
    .map((path) => ({ ...sourceFile(folder, path), maxScore: limits[path.slice(4)] ?? valid.floor ?? 0 }));
}

function readWeights(given: Valid['weights'], hasRules: boolean, report: Report): Record<string, number> {
  if (given === undefined) return { correctness: 1 };
  const weights = { correctness: given.correctness ?? 0, ...(given.rules === undefined ? {} : { rules: given.rules }) };
  if (given.rules !== undefined && !hasRules) report(['weights', 'rules'], 'there are no rules', 'key');
  const sum = weights.correctness + (weights.rules ?? 0);
  if (Math.abs(sum - 1) > 1e-9) report(['weights'], `they sum to ${Number(sum.toFixed(6))}; expected 1`);
  return weights;
}

function limitsOf(kind: EnvironmentKind, given: Parsed['limits']): EnvironmentLimits {
  const slow = kind === 'script' || kind === 'episode';
  return {
    caseSeconds: given.case_seconds ?? (slow ? 15 : 2),
    totalSeconds: given.total_seconds ?? (slow ? 60 : 20),
    memoryMb: given.memory_mb ?? 256,
    processes: given.processes ?? (slow ? 64 : 16),
    outputKb: given.output_kb ?? 64,
    diskMb: given.disk_mb ?? 64,
  };
}
