import { languageOfFile } from '../language.js';
import type { Folder } from './folder.js';
import type { SourceFile } from './types.js';

/** A file of the folder; one whose name says no language (a text that is no program) counts as Python. */
export function sourceFile(folder: Folder, path: string): SourceFile {
  return { language: languageOfFile(path) ?? 'python', path, text: folder.text(path) };
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
