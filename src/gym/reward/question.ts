import { languageFor, loadEnvironment } from '../environment/index.js';
import type { Environment } from '../environment/types.js';
import { GymError } from '../gym-error.js';
import { isRecord } from '../is-record.js';
import type { Language } from '../language.js';
import type { RunOptions } from '../types.js';

/** What an answer is judged by. */
export interface Question {
  readonly environment: Environment;
  readonly variant: string;
  /** null where answers have none, as documents. */
  readonly language: Language | null;
}

export interface QuestionOptions {
  /** Default: the environment's default variant. */
  readonly variant?: string | undefined;
  /** Default: the environment's first language. */
  readonly language?: string | undefined;
}

/** Loads environments by name, each once. */
export type LoadEnvironment = (name: string) => Promise<Environment>;

export function cachedLoader(load: LoadEnvironment = loadEnvironment): LoadEnvironment {
  const loaded = new Map<string, Promise<Environment>>();
  return (name) => {
    const environment = loaded.get(name) ?? load(name);
    loaded.set(name, environment);
    environment.catch(() => loaded.delete(name));
    return environment;
  };
}

/** @throws GymError for a language that the environment has not */
export function questionOf(environment: Environment, options: QuestionOptions = {}): Question {
  const variant = options.variant ?? environment.defaultVariant;
  const language = environment.languages.length === 0 ? null : languageFor(environment, options.language);
  return { environment, variant, language };
}

/** How a gym is asked it. */
export function runOptions({ variant, language }: Question, signal?: AbortSignal): RunOptions {
  return { variant, ...(language !== null && { language }), signal };
}

/** Whose code blocks are the answer; undefined where any are. */
export function fenceLanguage({ environment, language }: Question): Language | undefined {
  return environment.kind === 'document' ? undefined : (language ?? undefined);
}

/** Equal for questions whose answers are judged alike. */
export function keyOf({ environment, variant, language }: Question): string {
  return JSON.stringify([environment.name, environment.directory, environment.contentHash, variant, language]);
}

/** What a row of a dataset says about its environment: `extra_info` as an object, or as its JSON, and `data_source`. */
interface RowInfo {
  readonly extraInfo: unknown;
  readonly dataSource: unknown;
}

/**
 * The question of a dataset row: `extra_info.environment` with optional `variant` and `language`, else `data_source`.
 * @throws GymError naming the row where it names no environment, or an unknown one
 */
export async function questionOfRow(
  { extraInfo, dataSource }: RowInfo,
  where: string,
  load: LoadEnvironment,
  defaults: QuestionOptions = {},
): Promise<Question> {
  const info = objectOf(extraInfo, where);
  const text = (value: unknown, key: string) => textOrNull(value, `${where}: ${key}`);
  const name = text(info.environment, 'extra_info.environment') ?? text(dataSource, 'data_source');
  if (name === null) {
    throw new GymError(
      `${where} names no environment: extra_info.environment or data_source says which one judges its answers.`,
    );
  }
  const asked = {
    variant: text(info.variant, 'extra_info.variant') ?? defaults.variant,
    language: text(info.language, 'extra_info.language') ?? defaults.language,
  };
  try {
    return questionOf(await load(name), asked);
  } catch (error) {
    if (!(error instanceof GymError)) throw error;
    throw new GymError(`${where}: ${error.message}`, { cause: error });
  }
}

/** null where nothing is said; a number or a list is a mistake, and not the default. */
function textOrNull(value: unknown, where: string): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw new GymError(`${where} is no text but ${JSON.stringify(value)?.slice(0, 60)}.`);
  return value;
}

function objectOf(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null || value === '') return {};
  let object = value;
  if (typeof value === 'string') {
    try {
      object = JSON.parse(value);
    } catch {
      throw new GymError(`${where}: extra_info is a text that is no JSON: ${value.slice(0, 60)}`);
    }
  }
  if (!isRecord(object)) {
    throw new GymError(`${where}: extra_info is no object but ${JSON.stringify(object).slice(0, 60)}.`);
  }
  return object;
}
