import { didYouMean } from '../../config/index.js';
import { GymError } from '../gym-error.js';
import { languageOfFile } from '../language.js';
import type { Folder } from './folder.js';
import { parseType } from './parse-type.js';
import type { Report } from './problems.js';
import type { Parsed } from './schema.js';
import { filesBelow, sourceFile } from './source-files.js';
import type { EpisodeSpec, FunctionSignature, ScriptSpec, SourceFile } from './types.js';

export function readSignature(block: Parsed['function'], report: Report): FunctionSignature | null {
  if (block === undefined) return null;
  let good = true;
  const type = (path: readonly string[], text: string) => {
    try {
      return parseType(text);
    } catch (error) {
      if (!(error instanceof GymError)) throw error;
      good = false;
      report(['function', ...path], error.message);
      return { kind: 'any' } as const;
    }
  };
  const { name } = block;
  const signature = {
    names: typeof name === 'string' ? { python: name, javascript: camelCase(name) } : name,
    parameters: Object.entries(block.parameters).map(([parameter, text]) => ({
      name: parameter,
      type: type(['parameters', parameter], text),
    })),
    returns: type(['returns'], block.returns),
  };
  return good ? signature : null;
}

function camelCase(name: string): string {
  return name.replace(/(?<=[A-Za-z0-9])_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function fileOf(folder: Folder, path: string, at: readonly (string | number)[], report: Report): SourceFile | null {
  if (folder.has(path)) return sourceFile(folder, path);
  report(at, `there is no file ${path}${didYouMean(path, folder.paths)}`);
  return null;
}

/** A file that has to be a program in Python, JavaScript or TypeScript. */
export function programFile(
  folder: Folder,
  path: string,
  at: readonly (string | number)[],
  report: Report,
): SourceFile | null {
  const language = languageOfFile(path);
  if (language !== null && language !== 'bash') return fileOf(folder, path, at, report);
  report(at, `expected a .js, .ts or .py file, got ${path}`);
  return null;
}

function filesIn(
  folder: Folder,
  path: string | undefined,
  at: readonly string[],
  report: Report,
): Record<string, string> {
  if (path === undefined) return {};
  const found = filesBelow(folder, path);
  if (Object.keys(found).length === 0) report(at, `there is no folder ${path} with files in it`);
  return found;
}

/** Only a fork of a Python interpreter can be kept from an answer of the same user; see gym/drivers/launch.py. */
function readService(folder: Folder, path: string, report: Report): SourceFile | null {
  if (languageOfFile(path) === 'python') return fileOf(folder, path, ['script', 'service'], report);
  report(['script', 'service'], `expected a .py file, got ${path}`);
  return null;
}

export function readScript(folder: Folder, block: Parsed['script'], report: Report): ScriptSpec | null {
  if (block === undefined) return null;
  return {
    entry: Object.fromEntries(Object.entries(block.entry).filter(([, path]) => path !== undefined)),
    files: filesIn(folder, block.files, ['script', 'files'], report),
    service: block.service === undefined ? null : readService(folder, block.service, report),
  };
}

export function readEpisode(folder: Folder, block: Parsed['episode'], report: Report): EpisodeSpec | null {
  if (block === undefined) return null;
  if (block.actions.includes('tool') !== block.tools.length > 0) {
    report(
      ['episode', block.tools.length > 0 ? 'actions' : 'tools'],
      block.tools.length > 0 ? 'there are tools, but tool is no action' : 'tool is an action, but there are no tools',
    );
  }
  if (block.step_reward === 'improvement' && block.answer_file === undefined) {
    report(['episode', 'step_reward'], 'improvement needs an answer_file to judge after each step');
  }
  return {
    maxSteps: block.max_steps,
    stepSeconds: block.step_seconds,
    files: filesIn(folder, block.files, ['episode', 'files'], report),
    actions: block.actions,
    tools: block.tools.flatMap(({ name, description, parameters, script }, index) => {
      const source = fileOf(folder, script, ['episode', 'tools', index, 'script'], report);
      return source === null ? [] : [{ name, description, parameters, source }];
    }),
    answerFile: block.answer_file ?? null,
    stepReward: block.step_reward,
  };
}
