import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { nearest, someNames } from '../../text/index.js';
import { gymAsset } from '../assets.js';
import { GymError } from '../gym-error.js';
import { shownPath } from './folder.js';
import { loadFolder } from './load-folder.js';
import type { Environment } from './types.js';

/** A folder below a root that holds an environment. */
interface Entry {
  readonly name: string;
  readonly directory: string;
  /** What the root's `registry.json` says about it. */
  readonly registered: Record<string, unknown> | undefined;
}

interface Survey {
  readonly environments: readonly Environment[];
  /** Folders that could not be loaded, with the reason. */
  readonly broken: readonly { readonly name: string; readonly directory: string; readonly error: Error }[];
}

/** Folders nested deeper than `domain/group/name` are not looked for. */
const maxDepth = 3;

/** Where environments are looked for by name: the built-in ones first, then the folders of `ANNEAL_GYM_PATH`. */
function roots(): string[] {
  const own = (process.env.ANNEAL_GYM_PATH ?? '').split(delimiter).filter((path) => path !== '');
  return [gymAsset('environments'), ...own.map((path) => resolve(path))];
}

/** Every environment that can be loaded by name, sorted, and those that cannot be. */
export function surveyEnvironments(): Survey {
  const environments: Environment[] = [];
  const broken: Survey['broken'][number][] = [];
  for (const entry of findAll()) {
    try {
      environments.push(loadEntry(entry));
    } catch (error) {
      if (!(error instanceof GymError)) throw error;
      broken.push({ name: entry.name, directory: entry.directory, error });
    }
  }
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  return { environments: environments.sort(byName), broken: broken.sort(byName) };
}

/** Loads by path where the argument is one (`./my-env`, `../my-env`, absolute), otherwise by name. */
export async function loadEnvironment(nameOrPath: string): Promise<Environment> {
  if (typeof nameOrPath !== 'string')
    throw new GymError(`an environment is asked for by name or path, not by ${nameOrPath}`);
  if (isAbsolute(nameOrPath) || /^\.{1,2}([/\\]|$)/.test(nameOrPath)) return loadPath(nameOrPath);
  return loadByName(nameOrPath);
}

function loadPath(path: string): Environment {
  const directory = resolve(path);
  if (!existsSync(directory)) throw new GymError(`${path}: there is no such folder`);
  if (!statSync(directory).isDirectory()) throw new GymError(`${path}: a file; an environment is a folder`);
  return loadFolder(directory, directory.split(/[/\\]/).at(-1) ?? directory);
}

/**
 * Loads a built-in environment, or one below `ANNEAL_GYM_PATH`; never anything else, so the name may come from elsewhere. It may be the
 * name, its last part, the id or the title, in any case; a benchmark's name means its first environment.
 * @throws GymError with the nearest name
 */
export async function loadByName(name: string): Promise<Environment> {
  const wanted = name.replaceAll('\\', '/').replace(/\/+$/, '').toLowerCase();
  if (wanted === '' || wanted.startsWith('/') || wanted.split('/').some((part) => part.startsWith('.'))) {
    throw new GymError(
      `${JSON.stringify(name)} is no name of an environment. A folder is given as ./folder or with its whole path.`,
    );
  }
  const entries = findAll();
  const found =
    entries.find((entry) => entry.name.toLowerCase() === wanted) ??
    entries.find((entry) => entry.name.toLowerCase().split('/').at(-1) === wanted) ??
    entries.find(({ registered }) =>
      ['id', 'name', 'path', 'benchmark'].some((key) => String(registered?.[key] ?? '').toLowerCase() === wanted),
    );
  if (found !== undefined) return loadEntry(found);

  const { environments } = surveyEnvironments();
  const described = environments.find(({ id, title }) => id.toLowerCase() === wanted || title.toLowerCase() === wanted);
  if (described !== undefined) return described;
  // HumanEval/0 lies in a folder HumanEval_0.
  const flat = entries.find((entry) => entry.name.toLowerCase().split('/').at(-1) === wanted.replaceAll('/', '_'));
  if (flat !== undefined) return loadEntry(flat);
  throw new GymError(unknown(name, environments));
}

function unknown(name: string, environments: readonly Environment[]): string {
  const folder = existsSync(name) ? ` There is a folder of that name; it is given as ./${name}.` : '';
  const candidates = environments.flatMap((environment) => [environment.name, environment.id, environment.title]);
  const close = nearest(name, candidates);
  const meant = environments.find((environment) =>
    [environment.name, environment.id, environment.title].includes(close ?? ''),
  );
  const hint =
    meant === undefined
      ? ` There are ${someNames(
          environments.map((item) => item.name),
          8,
        )}.`
      : ` Did you mean ${meant.name}?`;
  return `there is no environment ${JSON.stringify(name.length > 100 ? `${name.slice(0, 99)}…` : name)}.${folder}${folder === '' ? hint : ''} anneal gym list shows all.`;
}

function loadEntry({ directory, name, registered }: Entry): Environment {
  return loadFolder(directory, name, registered);
}

/** The environments of all roots; of two with one name the first. */
function findAll(): Entry[] {
  const found = new Map<string, Entry>();
  for (const root of roots()) {
    for (const entry of findBelow(root)) if (!found.has(entry.name)) found.set(entry.name, entry);
  }
  return [...found.values()];
}

function findBelow(root: string): Entry[] {
  if (!existsSync(root)) {
    throw new GymError(`ANNEAL_GYM_PATH names ${shownPath(root)}, which is not there`);
  }
  const registry = readRegistry(root);
  const entries: Entry[] = [];
  const walk = (directory: string, parts: readonly string[]) => {
    const inside = readdirSync(directory, { withFileTypes: true });
    const files = new Set(inside.map((item) => item.name));
    if (files.has('environment.yaml') || (files.has('verifier.py') && files.has('task.md'))) {
      const name = parts.length === 0 ? root.split(/[/\\]/).at(-1)! : parts.join('/');
      entries.push({ name, directory, registered: registry.get(name) });
      return;
    }
    if (parts.length === maxDepth) return;
    for (const item of inside) {
      if (item.isDirectory() && !item.name.startsWith('.') && item.name !== 'node_modules')
        walk(join(directory, item.name), [...parts, item.name]);
    }
  };
  walk(root, []);
  return entries;
}

/** DeepGym's `registry.json`: `{version, environments: […]}` or the list alone. By the path of the environment. */
function readRegistry(root: string): Map<string, Record<string, unknown>> {
  const file = join(root, 'registry.json');
  if (!existsSync(file)) return new Map();
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new GymError(`${shownPath(file)}: ${(error as Error).message}`);
  }
  const list = Array.isArray(data) ? data : (data as { environments?: unknown } | null)?.environments;
  if (!Array.isArray(list))
    throw new GymError(`${shownPath(file)}: expected a list of environments, or {version, environments}`);
  return new Map(
    list.map((item: unknown, index) => {
      const path = (item as { path?: unknown } | null)?.path;
      if (typeof path !== 'string') throw new GymError(`${shownPath(file)}: entry ${index + 1} has no path`);
      return [path.replaceAll('\\', '/').replace(/^\.\//, '').replace(/\/+$/, ''), item as Record<string, unknown>];
    }),
  );
}
