import { readFile, stat } from 'node:fs/promises';
import { UserError } from '../../config/index.js';
import {
  type Environment,
  type Gym,
  type Language,
  languages,
  openGym,
  openTraceStore,
  type RunOptions,
  renderTask,
  type SandboxCapabilities,
  type SandboxName,
  sandboxNames,
  traceOfRun,
  type Verdict,
} from '../../gym/index.js';
import { nearest } from '../../text/index.js';

/** What judging commands take alike. */
export const judgingOptions = {
  variant: { type: 'string' },
  language: { type: 'string' },
  sandbox: { type: 'string' },
  traces: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** @throws UserError with the nearest name */
export function oneOf<T extends string>(option: string, value: string | undefined, names: readonly T[]): T | undefined {
  if (value === undefined) return undefined;
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  const close = nearest(value, names);
  throw new UserError(
    `--${option} ${value}: there is no such ${option}.${close === null ? '' : ` Did you mean ${close}?`} There are ${names.join(', ')}.`,
  );
}

export const sandboxOption = (value: string | undefined): SandboxName =>
  oneOf('sandbox', value, sandboxNames) ?? 'local';

export const wholeNumber = (option: string, value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new UserError(`--${option} ${value}: wanted is a whole number from 1 on`);
  return Number(value);
};

const languageOfExtension: Readonly<Record<string, Language>> = {
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  sh: 'bash',
};

/** The language asked for, else what the file's name says where the environment takes it, else the environment's first. */
export function answerLanguage(
  environment: Environment,
  asked: string | undefined,
  file: string,
): Language | undefined {
  const wanted = oneOf('language', asked, languages);
  if (wanted !== undefined) return wanted;
  const said = languageOfExtension[/\.([a-z]+)$/.exec(file)?.[1] ?? ''];
  return said !== undefined && environment.languages.includes(said) ? said : environment.languages[0];
}

/** A file of at most some megabytes; more is no answer. @throws UserError naming what is wrong with it */
export async function readAnswer(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new UserError(`${path} is a folder; wanted is a file with one answer`);
    if (found.size > 64 * 1024 * 1024) throw new UserError(`${path} has ${found.size} bytes, which is no answer`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new UserError(`There is no file ${path}`);
    if (code === 'EACCES') throw new UserError(`${path} may not be read`);
    throw new UserError(`${path} could not be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Does something with a gym, which is closed when it is done or interrupted. */
export async function withGym<T>(
  sandbox: SandboxName,
  workers: number | undefined,
  use: (gym: Gym, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const gym = await openGym({ sandbox, ...(workers === undefined ? {} : { workers }) });
  try {
    return await use(gym, interrupted.signal);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    await gym.dispose();
  }
}

/** Stores what was judged. Where the sandbox cannot even be opened there is nothing to store. */
export async function storeTraces(
  directory: string,
  gym: Gym,
  environment: Environment,
  options: RunOptions,
  judged: readonly { readonly answer: string; readonly language: Language | undefined; readonly verdict: Verdict }[],
): Promise<void> {
  let capabilities: SandboxCapabilities;
  try {
    capabilities = await gym.capabilities();
  } catch {
    return;
  }
  const store = openTraceStore(directory);
  const cases = await gym.cases(environment, options).catch(() => null);
  for (const { answer, language = environment.languages[0] ?? 'python', verdict } of judged) {
    const prompt = cases === null ? environment.task : renderTask(environment, cases, language);
    await store.append(
      traceOfRun({
        environment,
        cases,
        ...(options.variant === undefined ? {} : { variant: options.variant }),
        language,
        capabilities,
        prompt,
        completion: answer,
        verdict,
      }),
    );
  }
}

/** 0 passed, 1 did not, 2 nobody judged. */
export const exitCode = (verdict: Verdict): number => (verdict.kind === 'noVerdict' ? 2 : verdict.passed ? 0 : 1);

/** The error of a command line that could not be begun: no verdict. */
export function noVerdictExit(error: unknown, json: boolean): number {
  if (!(error instanceof Error && 'expected' in error && error.expected === true)) throw error;
  if (json) {
    console.log(JSON.stringify({ kind: 'noVerdict', cause: 'environment', message: error.message, retries: 0, ms: 0 }));
  } else process.stderr.write(`error: ${error.message}\n`);
  return 2;
}
