import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  visit,
  type YAMLParseError,
} from 'yaml';
import type { Path } from './introspect.js';
import type { LocatedProblem } from './problems.js';

/** A YAML text with the places of its keys and values. */
export interface YamlSource {
  /** The data; undefined when the text has errors that leave none. */
  readonly data: unknown;
  /** Errors of syntax, repeated keys included. */
  readonly problems: readonly LocatedProblem[];
  /** `file:line:column` of a key or its value; of the nearest enclosing mapping for what is not written. */
  locate(path: Path, about: 'key' | 'value'): string;
  /** Position for sorting: characters from the start of the file. */
  offset(path: Path): number;
}

/** A YAML text that is a mapping. */
export interface ConfigSource extends YamlSource {
  /** An empty mapping when there are problems. */
  readonly data: Record<string, unknown>;
}

export interface ReadOptions {
  /** What the text is called in messages. Default `config`. */
  readonly what?: string;
  /** Whole numbers that a JavaScript number would round are read as bigints. */
  readonly bigIntegers?: boolean;
}

/** Errors of syntax that are told one by one; what is no YAML at all has one on every line. */
const shownErrors = 5;

/** Reads a text that is to be a mapping of keys to values, such as a config. `file` names it in messages. */
export function readSource(text: string, file: string, options: ReadOptions = {}): ConfigSource {
  const source = readYaml(text, file, options);
  const { data } = source;
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) {
    return { ...source, data: data as Record<string, unknown> };
  }
  if (source.problems.length > 0) return { ...source, data: {} };
  const message =
    data === null || data === undefined
      ? `the ${options.what ?? 'config'} is empty`
      : 'expected a mapping of keys to values';
  return { ...source, data: {}, problems: [{ where: `${file}:1:1`, path: [], about: 'value', message }] };
}

/** As `readSource`, whatever the text holds. */
export function readYaml(text: string, file: string, options: ReadOptions = {}): YamlSource {
  const what = options.what ?? 'config';
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true });
  if (options.bigIntegers) visit(document, { Scalar: (_, node) => keepInteger(node) });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };

  const resolveAlias = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const find = (path: Path, about: 'key' | 'value'): { offset: number; exact: boolean } => {
    let node: unknown = document.contents;
    let offset = isNode(node) ? startOf(node) : 0;
    for (const [depth, key] of path.entries()) {
      const parent = resolveAlias(node);
      const last = depth === path.length - 1;
      if (isMap(parent)) {
        const pair = parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(key));
        if (pair === undefined) return { offset, exact: false };
        node = pair.value;
        const place = last && about === 'key' ? pair.key : isNode(pair.value) ? pair.value : pair.key;
        offset = startOf((place ?? pair.key) as Node);
      } else if (isSeq(parent)) {
        node = parent.items[key as number];
        if (!isNode(node)) return { offset, exact: false };
        offset = startOf(node);
      } else {
        return { offset, exact: false };
      }
    }
    return { offset, exact: true };
  };

  const problem = (where: string, message: string): LocatedProblem => ({ where, path: [], about: 'key', message });
  const problems = document.errors
    .slice(0, shownErrors)
    .map((error) => problem(at(error.pos[0]), meaning(error, text, what)));
  const left = document.errors.length - problems.length;
  if (left > 0) problems.push(problem(file, `and ${left} more errors of syntax; is it a YAML file?`));
  let data: unknown;
  try {
    if (problems.length === 0) data = document.toJS();
  } catch (error) {
    // An alias without its anchor, or aliases of aliases that would unfold without bounds.
    problems.push(problem(file, `YAML: ${(error as Error).message}`));
  }
  return {
    data,
    problems,
    locate: (path, about) => {
      const { offset, exact } = find(path, about);
      return exact || path.length > 1 ? at(offset) : file;
    },
    offset: (path) => find(path, 'key').offset,
  };
}

function keepInteger(node: Scalar): void {
  const { value, source } = node;
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return;
  if (/^[-+]?\d+$/.test(source)) node.value = BigInt(source);
}

function meaning({ code, pos, message }: YAMLParseError, text: string, what: string): string {
  if (code === 'DUPLICATE_KEY') return `${JSON.stringify(keyText(text, pos[0]))} is given more than once`;
  if (code === 'MULTIPLE_DOCS') return `a second document begins; a ${what} is one`;
  return `YAML: ${message}`;
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

function keyText(text: string, offset: number): string {
  return /^["']?([^"':\n]*)/.exec(text.slice(offset))?.[1]?.trim() ?? '';
}
