import { didYouMean, type LocatedProblem, readYaml } from '../../config/index.js';
import { inputKey } from '../cases/input-key.js';
import { type ReadRow, readRows } from '../cases/rows.js';
import type { Folder } from './folder.js';
import { fileProblem, type Report } from './problems.js';
import type { Parsed } from './schema.js';
import type { Case, EnvironmentKind, FunctionSignature, Variant } from './types.js';

const standard = ['train', 'eval', 'holdout'] as const;
const defaultCasesFile = 'cases.yaml';
const defaultCount = 15;

interface Options {
  readonly folder: Folder;
  readonly kind: EnvironmentKind;
  /** Whether a variant has one case as a rule, made from its seed. */
  readonly single: boolean;
  readonly declared: Parsed['variants'];
  readonly hasGenerator: boolean;
  readonly signature: FunctionSignature | null;
  readonly readCases: boolean;
  readonly report: Report;
  readonly add: (problem: LocatedProblem) => void;
  readTask(path: string, fail: (message: string) => void): string;
}

interface PlacedCase {
  readonly case: Case;
  readonly variant: string;
  readonly where: string;
}

/** The variants of an environment with their declared cases, and which of them is the default. */
export function readVariants(options: Options): {
  readonly variants: Record<string, Variant>;
  readonly defaultVariant: string;
} {
  const { declared, hasGenerator, single, report, add } = options;
  const names = [...Object.keys(declared), ...standard.filter((name) => !Object.hasOwn(declared, name))];
  const defaultVariant = Object.keys(declared)[0] ?? 'train';
  let unread = false;
  const placed = placeCases(
    {
      ...options,
      add: (problem) => {
        unread = true;
        add(problem);
      },
    },
    names,
    defaultVariant,
  );
  reportShared(placed, add);

  const variants: Record<string, Variant> = {};
  for (const [index, name] of names.entries()) {
    const given = declared[name];
    if (given?.generate !== undefined && given.generate > 0 && !hasGenerator) {
      report(['variants', name, 'generate'], 'there is no generator.js, generator.ts or generator.py');
    }
    const own = placed.filter(({ variant }) => variant === name).map((item) => item.case);
    const generated = hasGenerator ? (given?.generate ?? (single ? Math.max(0, 1 - own.length) : defaultCount)) : 0;
    if (own.length + generated === 0 && name !== defaultVariant) {
      if (given !== undefined)
        report(['variants', name], 'it has no cases; declare some, or let it generate some', 'key');
      continue;
    }
    variants[name] = {
      name,
      declared: own.length + generated > 0 ? own : standing(options, unread),
      generated,
      seed: given?.seed ?? seedOf(name, index),
      parameters: given?.parameters ?? {},
      task:
        given?.task === undefined
          ? null
          : options.readTask(given.task, (message) => report(['variants', name, 'task'], message)),
    };
  }
  return { variants, defaultVariant };
}

/** train 1, eval 2, holdout 3, the others by their place. */
function seedOf(name: string, index: number): number {
  const at = (standard as readonly string[]).indexOf(name);
  return at >= 0 ? at + 1 : standard.length + index + 1;
}

/** A task that is always the same has one case with nothing in it; a function has to be called with something. */
function standing({ kind, signature, readCases, folder, add }: Options, unread: boolean): Case[] {
  if (signature === null && readCases && kind !== 'function')
    return [{ id: '1', input: [{ d: [] }], weight: 1, group: null }];
  if (readCases && !unread)
    add(fileProblem(folder.shown, `no cases; expected a ${defaultCasesFile} or a generator.js`));
  return [];
}

/** The rows of every cases file, at the variants that they belong to. */
function placeCases(
  { folder, declared, signature, readCases, report, add }: Options,
  names: readonly string[],
  defaultVariant: string,
): PlacedCase[] {
  const owners = new Map<string, string[]>();
  for (const [name, { cases }] of Object.entries(declared)) {
    if (cases === undefined) continue;
    if (folder.has(cases)) owners.set(cases, [...(owners.get(cases) ?? []), name]);
    else report(['variants', name, 'cases'], `there is no file ${cases}${didYouMean(cases, folder.paths)}`);
  }
  if (folder.has(defaultCasesFile) && !owners.has(defaultCasesFile)) owners.set(defaultCasesFile, [defaultVariant]);
  if (!readCases) return [];

  return [...owners].flatMap(([path, owner]) => {
    const where = `${folder.shown}/${path}`;
    const source = readYaml(folder.text(path), where, { what: 'file', bigIntegers: true });
    for (const problem of source.problems) add(problem);
    if (source.problems.length > 0) return [];
    if (!Array.isArray(source.data)) {
      add(fileProblem(`${where}:1:1`, 'expected a list of cases'));
      return [];
    }
    const rows = readRows(source.data, signature, (problem) =>
      add({ ...problem, where: source.locate(problem.path, problem.about) }),
    );
    reportRepeatedIds(rows, (row) => source.locate([row.index, 'id'], 'value'), add);
    return rows.flatMap((row) => {
      if (row.variant !== null && !names.includes(row.variant)) {
        add({
          path: [row.index, 'variant'],
          where: source.locate([row.index, 'variant'], 'value'),
          message: `there is no variant ${row.variant}${didYouMean(row.variant, names)}`,
          about: 'value',
        });
      }
      const at = source.locate([row.index], 'value');
      return (row.variant === null ? owner : [row.variant]).map((variant) => ({ case: row.case, variant, where: at }));
    });
  });
}

function reportRepeatedIds(
  rows: readonly ReadRow[],
  locate: (row: ReadRow) => string,
  add: (problem: LocatedProblem) => void,
): void {
  const seen = new Set<string>();
  for (const row of rows) {
    if (row.named && seen.has(row.case.id)) {
      add({
        path: [row.index, 'id'],
        where: locate(row),
        message: `${row.case.id} is given more than once`,
        about: 'value',
      });
    }
    seen.add(row.case.id);
  }
}

/** A case may stand once in a variant, and one of eval or holdout nowhere else. */
function reportShared(placed: readonly PlacedCase[], add: (problem: LocatedProblem) => void): void {
  const seen = new Map<string, PlacedCase[]>();
  for (const item of placed) {
    const key = inputKey(item.case);
    const others = seen.get(key) ?? [];
    const apart = (variant: string) => variant === 'eval' || variant === 'holdout';
    const other = others.find(({ variant }) => variant === item.variant || apart(variant) || apart(item.variant));
    if (other !== undefined) {
      add(
        fileProblem(
          item.where,
          `the input is that of ${other.where}${other.variant === item.variant ? '' : ` (variant ${other.variant})`} again`,
        ),
      );
    }
    seen.set(key, [...others, item]);
  }
}
