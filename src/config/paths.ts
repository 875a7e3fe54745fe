import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { nearest } from '../text/index.js';

/** Where relative paths of a config are looked up: the working directory first, then the directory of the YAML file. */
export interface SearchPath {
  readonly cwd: string;
  readonly configDirectory: string | null;
}

export interface FoundPath {
  readonly path: string;
  readonly exists: boolean;
  /** Every place that was looked at, in order. */
  readonly tried: readonly string[];
}

function expandHome(path: string): string {
  return path === '~' || path.startsWith('~/') ? homedir() + path.slice(1) : path;
}

/** Finds an input file or directory. One that is nowhere keeps its place in the working directory. */
export function findInput(path: string, search: SearchPath): FoundPath {
  const expanded = expandHome(path);
  const places = [search.cwd, ...(search.configDirectory === null ? [] : [search.configDirectory])];
  const tried = [...new Set(places.map((place) => resolve(place, expanded)))];
  const found = tried.find((candidate) => existsSync(candidate));
  return { path: found ?? tried[0]!, exists: found !== undefined, tried };
}

/** `; did you mean "x"?` for paths where nothing is, with the nearest name beside one of them, or nothing. */
export function nearbyPath(tried: readonly string[]): string {
  for (const path of tried) {
    const near = nearest(basename(path), namesIn(dirname(path)));
    if (near !== null) return `; did you mean ${resolve(dirname(path), near)}?`;
  }
  return '';
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** An output path: relative to the working directory. */
export function outputPath(path: string, search: SearchPath): string {
  return resolve(search.cwd, expandHome(path));
}

/** Whether a name can be a hub id, `owner/name`. Names that begin like paths or end in a file type of models are paths. */
export function looksLikeHubId(name: string): boolean {
  return /^[\w][\w.-]*\/[\w][\w.-]*$/.test(name) && !/\.(gguf|json|safetensors)$/.test(name);
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
