import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GymError } from '../gym-error.js';
import { type Language, languageOfFile } from '../language.js';
import type { Limiter } from '../limiter.js';
import { answerOf } from '../reward/code-block.js';
import { fenceLanguage, type Question, questionOf } from '../reward/question.js';
import { type Endpoint, EndpointError } from './endpoint.js';

/** An answer to a question. */
export interface SubmittedAnswer {
  /** The file's name, or the number of the sample. */
  readonly name: string;
  readonly answer: string;
  readonly language: Language | null;
  /** What the model wrote, where that is more than the answer. */
  readonly completion: string;
}

/** An answer, or why there is none. */
export type Submitted = SubmittedAnswer | { readonly name: string; readonly failure: string };

/** Where the answers to a suite come from. */
export interface AnswerSource {
  readonly model: string | null;
  /** In a settled order; none where there are none. */
  answers(question: Question, prompt: () => Promise<string>, signal: AbortSignal): Promise<readonly Submitted[]>;
}

/** Samples of a model. The seeds are those from the given one on, the same for every environment. */
export function sampledAnswers(
  endpoint: Endpoint,
  options: {
    readonly samples: number;
    readonly seed: number | undefined;
    readonly limit: Limiter;
  },
): AnswerSource {
  return {
    model: endpoint.model,
    async answers(question, prompt, signal) {
      const text = await prompt();
      return Promise.all(
        Array.from({ length: options.samples }, (_, index) =>
          options.limit(async (): Promise<Submitted> => {
            const name = String(index + 1);
            try {
              const seed = options.seed === undefined ? undefined : options.seed + index;
              const { text: completion } = await endpoint.ask(text, seed, signal);
              const answer = answerOf(completion, fenceLanguage(question));
              return { name, answer, completion, language: question.language };
            } catch (error) {
              if (error instanceof EndpointError) return { name, failure: error.message };
              throw error;
            }
          }),
        ),
      );
    },
  };
}

const largest = 16 * 2 ** 20;

/**
 * Answers in a folder: `coin_change.py`, or `coin_change/1.py`, `coin_change/2.py`, …; `cyber/log_triage.json` for names with slashes. The
 * language is that of the file's ending, where the environment takes it. A `.md` file holds what a model wrote, and its last fenced block
 * is the answer; every other file is the answer itself.
 * @throws GymError where the folder is not there
 */
export async function folderAnswers(
  directory: string,
): Promise<AnswerSource & { readonly unused: () => readonly string[] }> {
  const files = await filesBelow(directory);
  const used = new Set<string>();
  return {
    model: null,
    async answers(question) {
      const { name } = question.environment;
      const own = files.filter((file) => stem(file) === name || parent(file) === name);
      for (const file of own) used.add(file);
      return Promise.all(own.map((file) => submittedFile(directory, file, question)));
    },
    unused: () => files.filter((file) => !used.has(file)),
  };
}

async function submittedFile(directory: string, file: string, question: Question): Promise<Submitted> {
  const path = join(directory, file);
  const { size } = await stat(path);
  if (size > largest) return { name: file, failure: `${path} has ${size} bytes, which is no answer` };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    return {
      name: file,
      failure: error instanceof TypeError ? `${path} is not valid UTF-8` : (error as Error).message,
    };
  }
  const said = languageOfFile(file);
  const { environment } = question;
  const own =
    said !== null && environment.languages.includes(said) ? questionOf(environment, { language: said }) : question;
  const answer = file.endsWith('.md') ? answerOf(text, fenceLanguage(own)) : text;
  return { name: file, answer, completion: text, language: own.language };
}

async function filesBelow(directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (below: string, depth: number): Promise<void> => {
    for (const entry of await readdir(join(directory, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory() && depth < 4) await walk(path, depth + 1);
      else if (entry.isFile()) found.push(path);
    }
  };
  try {
    await walk('', 0);
  } catch (error) {
    throw new GymError(`${directory} is no folder of answers: ${(error as Error).message}`, { cause: error });
  }
  // 10.py comes after 9.py.
  return found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

const stem = (file: string) => file.replace(/\.[^./]+$/, '');
const parent = (file: string) => file.slice(0, Math.max(0, file.lastIndexOf('/')));
