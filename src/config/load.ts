import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nearest } from '../text/index.js';
import type { Path } from './introspect.js';
import { dottedKeys, keysOf, withoutUnset } from './introspect.js';
import { findMigrations } from './migrations.js';
import { didYouMean } from './nearest.js';
import { applyOverrides, parseOverrides } from './overrides.js';
import { nearbyPath } from './paths.js';
import { ConfigError, type LocatedProblem, type Problem, problemsOf } from './problems.js';
import { resolveConfig } from './resolve.js';
import { rules } from './rules.js';
import type { Decision, RunConfig } from './run-config.js';
import { type ParsedConfig, schema } from './schema/index.js';
import { readSource } from './source.js';
import { UserError } from './user-error.js';

export interface LoadOptions {
  /** Directory that relative paths are looked up in first. Default: the working directory of the process. */
  readonly cwd?: string;
  /** Refuse input files that do not exist. Default true. */
  readonly checkPaths?: boolean;
}

export interface LoadedConfig {
  readonly config: RunConfig;
  /** Every value that was decided rather than written, with its reason. */
  readonly decisions: readonly Decision[];
  /** The YAML text as the user wrote it. */
  readonly source: string;
}

/**
 * Reads a config file, puts the overrides of the command line into it, checks it and fills in what follows from it.
 *
 * @param overrides arguments such as `--learning-rate 1e-4`, `--trl.beta=0.1`, `--no-sample-packing`, `--datasets.0.path=x.jsonl`
 * @throws ConfigError naming everything that is wrong, each with file, line, column and key
 */
export function loadConfig(path: string, overrides: readonly string[] = [], options: LoadOptions = {}): LoadedConfig {
  const file = resolve(options.cwd ?? process.cwd(), path);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new UserError(`there is no config ${file}${nearbyPath([file])}`);
    }
    throw new UserError(`cannot read the config ${file}: ${(error as Error).message}`);
  }
  return parseConfig(text, { ...options, file: path, configDirectory: dirname(file), overrides });
}

export interface ParseOptions extends LoadOptions {
  /** Name of the text in messages. Default `config`. */
  readonly file?: string;
  /** Second directory that relative input paths are looked up in. */
  readonly configDirectory?: string;
  readonly overrides?: readonly string[];
}

/** As `loadConfig`, from a YAML text (JSON is YAML, too). */
export function parseConfig(text: string, options: ParseOptions = {}): LoadedConfig {
  const source = readSource(text, options.file ?? 'config');
  const { overrides, problems: misread } = parseOverrides(options.overrides ?? []);
  const flags = new Map(overrides.map((override) => [override.path.join('.'), override.flag]));
  const located: LocatedProblem[] = [
    ...source.problems,
    ...[...misread, ...applyOverrides(source.data, overrides)].map(({ flag, message }) => flagProblem(flag, message)),
  ];
  const report = ({ path, message, about }: Problem) => {
    const flag = overridingFlag(path, flags);
    located.push({ path, message, about, where: flag ?? source.locate(path, about) });
  };
  const finish = () => {
    const order = (problem: LocatedProblem) => (problem.path.length === 0 ? -1 : source.offset(problem.path));
    if (located.length > 0) throw new ConfigError([...located].sort((a, b) => order(a) - order(b)));
  };
  if (source.problems.length > 0) finish();

  const decisions: Decision[] = [];
  const data = migrate(source.data, report, decisions);
  const { parsed, invalid } = parseKeys(data, report);
  checkRules(parsed, invalid, data, report);
  if (invalid.size > 0) finish();

  const config = resolveConfig(parsed as ParsedConfig, {
    search: { cwd: options.cwd ?? process.cwd(), configDirectory: options.configDirectory ?? null },
    checkPaths: options.checkPaths ?? true,
    report: (path, message) => report({ path, message, about: 'value' }),
    decide: (decision) => decisions.push(decision),
  });
  finish();
  return { config, decisions, source: text };
}

function flagProblem(flag: string, message: string): LocatedProblem {
  return { where: `${flag}:`, path: [], message, about: 'key' };
}

function overridingFlag(path: Path, flags: ReadonlyMap<string, string>): string | null {
  for (let length = path.length; length > 0; length--) {
    const flag = flags.get(path.slice(0, length).join('.'));
    if (flag !== undefined) return flag;
  }
  return null;
}

/** The config without the keys that anneal does not have but that ask for nothing, and without unset keys. Reports what has changed its name. */
function migrate(
  data: Record<string, unknown>,
  report: (problem: Problem) => void,
  decisions: Decision[],
): Record<string, unknown> {
  const copy = structuredClone(data);
  for (const { path, message, kind, about } of findMigrations(data, new Set(keysOf(schema)))) {
    if (kind === 'error') report({ path, message, about });
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], copy);
    const last = path.at(-1)!;
    const value = (parent as Record<string | number, unknown>)[last];
    // A removed dataset type stays: without it the entry could not be checked.
    if (about === 'key') delete (parent as Record<string | number, unknown>)[last];
    if (kind === 'ignored' && value === false) {
      decisions.push({ key: path.join('.'), value: false, reason: `has no effect: ${message}` });
    }
  }
  return withoutUnset(schema, copy) as Record<string, unknown>;
}

/** Parses each key by itself, so that one bad value does not hide the others. */
function parseKeys(data: Record<string, unknown>, report: (problem: Problem) => void) {
  const parsed: Record<string, unknown> = {};
  const invalid = new Set<string>();
  for (const [key, part] of Object.entries(schema.shape)) {
    const result = part.safeParse(data[key]);
    if (result.success) {
      parsed[key] = result.data;
      continue;
    }
    invalid.add(key);
    for (const issue of result.error.issues) {
      for (const problem of problemsOf(schema, issue, data, [key])) {
        if (!isRemovedType(problem.path, data)) report(problem);
      }
    }
  }
  const names = Object.keys(schema.shape);
  for (const key of Object.keys(data)) {
    if (Object.hasOwn(schema.shape, key)) continue;
    invalid.add(key);
    report({ path: [key], message: `unknown key${suggestion(key, names)}`, about: 'key' });
  }
  return { parsed, invalid };
}

/** A key of a block written at the top is the likeliest mistake after a typo. */
function suggestion(key: string, names: readonly string[]): string {
  if (nearest(key, names) !== null) return didYouMean(key, names);
  const nested = dottedKeys(schema).find((dotted) => dotted.endsWith(`.${key}`));
  return nested === undefined ? '' : `; did you mean "${nested}"?`;
}

/** The message about a removed type says more than the one about an unknown one. */
function isRemovedType(path: Path, data: Record<string, unknown>): boolean {
  const value = path.reduce<unknown>(
    (part, key) => (part as Record<string | number, unknown> | undefined)?.[key],
    data,
  );
  return path.at(-1) === 'type' && typeof value === 'string' && value.startsWith('sharegpt');
}

function checkRules(
  parsed: Record<string, unknown>,
  invalid: ReadonlySet<string>,
  data: Record<string, unknown>,
  report: (problem: Problem) => void,
): void {
  for (const rule of rules) {
    if (rule.reads.some((key) => invalid.has(key))) continue;
    rule.check({
      config: parsed as ParsedConfig,
      given: (key) => Object.hasOwn(data, key),
      report: (path, message) => report({ path, message, about: 'value' }),
    });
  }
}
