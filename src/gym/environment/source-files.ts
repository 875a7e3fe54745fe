import type { Language } from '../language.js';
import type { Folder } from './folder.js';
import type { SourceFile } from './types.js';

const byExtension: Readonly<Record<string, Language>> = {
  py: 'python',
  js: 'javascript',
  mjs: 'javascript',
  ts: 'typescript',
  sh: 'bash',
};

/** The language that a file name says, or null. */
export function languageOf(path: string): Language | null {
  return byExtension[path.slice(path.lastIndexOf('.') + 1)] ?? null;
}

/** A file of the folder; one whose name says no language (a text that is no program) counts as Python. */
export function sourceFile(folder: Folder, path: string): SourceFile {
  return { language: languageOf(path) ?? 'python', path, text: folder.text(path) };
}

/** The texts below a folder by their paths there. */
export function filesBelow(folder: Folder, directory: string): Record<string, string> {
  const prefix = `${directory.replace(/\/+$/, '')}/`;
  return Object.fromEntries(
    folder.paths
      .filter((path) => path.startsWith(prefix))
      .map((path) => [path.slice(prefix.length), folder.text(path)]),
  );
}
