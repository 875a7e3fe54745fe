import { nearest, someNames } from '../../text/index.js';
import { GymError } from '../gym-error.js';
import { loadEnvironment, surveyEnvironments } from './registry.js';
import type { Environment } from './types.js';

/** Every environment that can be loaded by name. Folders that are broken are left out with a warning. */
export async function listEnvironments(): Promise<readonly Environment[]> {
  const { environments, broken } = surveyEnvironments();
  for (const { name, error } of broken) {
    process.emitWarning(`the environment ${name} is left out: ${error.message}`, 'GymWarning');
  }
  return environments;
}

/** What an environment can be chosen by. */
function traits({ difficulty, kind, languages, family, domain, tags }: Environment): string[] {
  return [difficulty, kind, ...languages, family, domain, ...tags];
}

/**
 * The environments that a suite's name means: `all`; a difficulty, kind, language, family, domain or tag; names or paths; or several of
 * these separated by commas.
 * @throws GymError listing what there is to choose from
 */
export async function loadSuite(name: string): Promise<readonly Environment[]> {
  const all = await listEnvironments();
  const chosen = new Map<string, Environment>();
  const parts = name.split(',').map((part) => part.trim());
  for (const part of parts.filter((text) => text !== '')) {
    for (const environment of await choose(part, all)) chosen.set(environment.directory, environment);
  }
  if (chosen.size === 0) throw new GymError(`the suite ${JSON.stringify(name)} is empty; ${choices(all)}`);
  return [...chosen.values()];
}

async function choose(part: string, all: readonly Environment[]): Promise<readonly Environment[]> {
  const wanted = part.toLowerCase();
  if (wanted === 'all') return all;
  const named = all.find((environment) => environment.name.toLowerCase() === wanted);
  if (named !== undefined) return [named];
  const matching = all.filter((environment) => traits(environment).some((trait) => trait.toLowerCase() === wanted));
  if (matching.length > 0) return matching;
  try {
    return [await loadEnvironment(part)];
  } catch (error) {
    // A path or a folder that is broken says more than the choices.
    if (!(error instanceof GymError) || !error.message.startsWith('there is no environment')) throw error;
    const close = nearest(part, [...all.flatMap(traits), ...all.map((environment) => environment.name)]);
    throw new GymError(
      `there is no suite or environment ${JSON.stringify(part)}${close === null ? '' : `; did you mean "${close}"?`}\n${choices(all)}`,
    );
  }
}

function choices(all: readonly Environment[]): string {
  const distinct = (list: readonly string[]) => [...new Set(list)].sort();
  const line = (what: string, list: readonly string[]) => `  ${what}: ${someNames(distinct(list), 20)}`;
  return [
    'a suite is all, or one of',
    line(
      'difficulty',
      all.map(({ difficulty }) => difficulty),
    ),
    line(
      'kind',
      all.map(({ kind }) => kind),
    ),
    line(
      'language',
      all.flatMap(({ languages }) => languages),
    ),
    line(
      'family',
      all.map(({ family }) => family),
    ),
    line(
      'domain',
      all.map(({ domain }) => domain),
    ),
    line(
      'tag',
      all.flatMap(({ tags }) => tags),
    ),
    'or names of environments, separated by commas',
  ].join('\n');
}
