import { access, constants, mkdir, readFile, stat } from 'node:fs/promises';
import { UserError } from '../../config/index.js';
import {
  type Environment,
  type Gym,
  type Language,
  languages,
  openGym,
  openTraceStore,
  SandboxError,
  type SandboxName,
  sandboxNames,
  type TraceStore,
  traceOfRun,
  type Verdict,
} from '../../gym/index.js';
import { languageOfFile } from '../../gym/language.js';
import { oneOf } from '../arguments.js';
import { onInterrupt } from '../interrupt.js';

/** What judging commands take alike. */
export const judgingOptions = {
  variant: { type: 'string' },
  language: { type: 'string' },
  sandbox: { type: 'string' },
  traces: { type: 'string' },
  json: { type: 'boolean' },
  verbose: { type: 'boolean' },
} as const;

export const sandboxOption = (value: string | undefined): SandboxName =>
  oneOf('sandbox', value, sandboxNames) ?? 'local';

/** The language asked for, else what the file's name says where the environment takes it, else the environment's first. */
export function answerLanguage(
  environment: Environment,
  asked: string | undefined,
  file: string,
): Language | undefined {
  const wanted = oneOf('language', asked, languages);
  if (wanted !== undefined) return wanted;
  const said = languageOfFile(file);
  return said !== null && environment.languages.includes(said) ? said : environment.languages[0];
}

/** A file of at most some megabytes; more is no answer. A byte order mark does not count. @throws UserError naming what is wrong with it */
export async function readAnswer(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw new UserError(`${path} is a folder; wanted is a file with one answer`);
    if (found.size > 64 * 1024 * 1024) throw new UserError(`${path} has ${found.size} bytes, which is no answer`);
    return answerText(await readFile(path), path);
  } catch (error) {
    if (error instanceof UserError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new UserError(`There is no file ${path}`);
    if (code === 'EACCES') throw new UserError(`${path} may not be read`);
    throw new UserError(`${path} could not be read: ${(error as Error).message}`, { cause: error });
  }
}

/** @throws UserError where it is no UTF-8: judged it would be another text than the one that was written */
export function answerText(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UserError(`${where} is not valid UTF-8; save it as UTF-8 text`);
  }
}

/** Does something with a gym, which is closed when it is done or interrupted. */
export async function withGym<T>(
  sandbox: SandboxName,
  workers: number | undefined,
  use: (gym: Gym, signal: AbortSignal) => Promise<T>,
  onStop: () => void = () => {},
): Promise<T> {
  const interrupt = onInterrupt(onStop);
  try {
    const gym = await openGym({ sandbox, workers });
    try {
      return await use(gym, interrupt.signal);
    } finally {
      await gym.dispose();
    }
  } finally {
    interrupt.release();
  }
}

interface Judged {
  readonly variant: string | undefined;
  readonly language: Language | null | undefined;
  /** What was given: the answer, or what a model wrote around it. */
  readonly completion: string;
  readonly verdict: Verdict;
  readonly model?: string | null;
}

/** The store for `--traces`, where that is given; opened before anything is judged, so that no verdict is lost for a folder. */
export async function traceStore(directory: string | undefined): Promise<TraceStore | null> {
  if (directory === undefined) return null;
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (error) {
    throw new UserError(`--traces ${directory}: no folder can be written there: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return openTraceStore(directory);
}

/** Stores what was judged. Where the sandbox cannot even be opened there is nothing to store. */
export async function storeTrace(store: TraceStore, gym: Gym, environment: Environment, judged: Judged): Promise<void> {
  const capabilities = await gym.capabilities().catch(() => null);
  if (capabilities === null) return;
  const { completion, verdict, variant, model } = judged;
  const asked = { variant };
  const language = judged.language ?? environment.languages[0];
  const cases = await gym.cases(environment, asked).catch(() => null);
  const prompt =
    cases === null ? environment.task : await gym.task(environment, { ...asked, ...(language && { language }) });
  await store.append(
    traceOfRun({
      environment,
      cases,
      ...asked,
      language: language ?? 'python',
      capabilities,
      prompt,
      completion,
      verdict,
      ...(model != null && { model }),
    }),
  );
}

/** 0 passed, 1 did not, 2 nobody judged. */
export const exitCode = (verdict: Verdict): number => (verdict.kind === 'noVerdict' ? 2 : verdict.passed ? 0 : 1);

/** The error of a command line that could not be begun: no verdict. */
export function noVerdictExit(error: unknown, json: boolean): number {
  if (!(error instanceof Error && 'expected' in error && error.expected === true)) throw error;
  const cause = error instanceof SandboxError ? 'sandbox' : 'environment';
  if (json) console.log(JSON.stringify({ kind: 'noVerdict', cause, message: error.message, retries: 0, ms: 0 }));
  else process.stderr.write(`error: ${error.message}\n`);
  return 2;
}

/** The exit code of commands whose other errors are no verdicts: 2 where the sandbox could not be had. @throws every other error */
export function noSandboxExit(error: unknown, json: boolean): number {
  if (!(error instanceof SandboxError)) throw error;
  return noVerdictExit(error, json);
}
