import { inputKey } from '../cases/input-key.js';
import type { CaseSet, Environment } from '../environment/types.js';
import type { Gym } from '../types.js';
import { caseSets } from './case-sets.js';
import { assignSplits, type Split, type SplitOptions, sha256 } from './splits.js';

export interface AuditOptions extends SplitOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The same thing where people must not see it and where they may. */
export interface Leak {
  /** `case`: variants of one environment share an input. Others: environments of a private and a public split share a text. */
  readonly kind: 'case' | 'task' | 'verifier' | 'content';
  readonly severity: 'high' | 'critical';
  readonly message: string;
}

export interface ManifestEntry {
  readonly environment: string;
  readonly id: string;
  readonly split: Split;
  readonly taskHash: string;
  readonly verifierHash: string;
  /** By variant. */
  readonly caseHashes: Readonly<Record<string, string>>;
  readonly contentHash: string;
  readonly provenance: string;
  readonly licence: string;
  /** What its author may want to better. */
  readonly notes: readonly string[];
}

export interface AuditReport {
  readonly environments: number;
  readonly splitCounts: Readonly<Record<Split, number>>;
  readonly contaminationRisk: 'low' | 'medium' | 'high' | 'critical';
  readonly duplicateTasks: readonly (readonly string[])[];
  readonly duplicateVerifiers: readonly (readonly string[])[];
  readonly leaks: readonly Leak[];
  readonly recommendations: readonly string[];
  readonly manifest: readonly ManifestEntry[];
}

const privateSplits: readonly Split[] = ['canary', 'private_holdout'];
/** Variants that others must not share inputs with. */
const keptApart = ['eval', 'holdout'];
const fewCases = 10;

/** Looks for leaks and duplicates among environments, and divides them into splits. @throws GymError */
export async function audit(
  gym: Gym,
  environments: readonly Environment[],
  options: AuditOptions = {},
): Promise<AuditReport> {
  const { signal, ...splitOptions } = options;
  const splitOf = assignSplits(
    environments.map((one) => one.name),
    splitOptions,
  );
  const leaks: Leak[] = [];
  const manifest: ManifestEntry[] = [];
  for (const environment of environments) {
    signal?.throwIfAborted();
    const { sets, problems } = await caseSets(gym, environment, signal);
    leaks.push(...caseLeaks(environment, sets));
    manifest.push({
      environment: environment.name,
      id: environment.id,
      split: splitOf.get(environment.name)!,
      taskHash: textHash(environment.task),
      verifierHash: verifierHash(environment),
      caseHashes: Object.fromEntries(sets.map((set) => [set.variant, set.hash])),
      contentHash: environment.contentHash,
      provenance: environment.provenance,
      licence: environment.licence,
      notes: [...problems, ...hygiene(environment, sets)],
    });
  }
  const duplicateTasks = groups(manifest, (entry) => entry.taskHash);
  // A built-in comparison with no code of its own is the same in many environments, and means nothing.
  const duplicateVerifiers = groups(
    manifest.filter((_, at) => ownVerifier(environments[at]!) !== null),
    (entry) => entry.verifierHash,
  );
  const split = (name: string) => splitOf.get(name)!;
  leaks.push(...splitLeaks('task', duplicateTasks, split), ...splitLeaks('verifier', duplicateVerifiers, split));
  leaks.push(
    ...splitLeaks(
      'content',
      groups(manifest, (entry) => entry.contentHash),
      split,
    ),
  );
  const counts = { canary: 0, private_holdout: 0, public_eval: 0, public_train: 0 };
  for (const { split: one } of manifest) counts[one]++;
  const duplicates = duplicateTasks.length + duplicateVerifiers.length;
  return {
    environments: environments.length,
    splitCounts: counts,
    contaminationRisk: leaks.some((leak) => leak.severity === 'critical')
      ? 'critical'
      : leaks.length > 0
        ? 'high'
        : duplicates > 0 || counts.private_holdout === 0
          ? 'medium'
          : 'low',
    duplicateTasks,
    duplicateVerifiers,
    leaks,
    recommendations: recommend(leaks, duplicateTasks, duplicateVerifiers, counts, manifest),
    manifest,
  };
}

function caseLeaks({ name }: Environment, sets: readonly CaseSet[]): Leak[] {
  const inputs = sets.map((set) => ({
    variant: set.variant,
    keys: new Set(set.cases.map((one) => inputKey(one))),
  }));
  return inputs.flatMap(({ variant, keys }, at) =>
    inputs.slice(at + 1).flatMap((other): Leak[] => {
      if (!keptApart.includes(variant) && !keptApart.includes(other.variant)) return [];
      const shared = [...keys].filter((key) => other.keys.has(key)).length;
      if (shared === 0) return [];
      const message = `${name}: ${shared} inputs stand in both ${variant} and ${other.variant}`;
      return [{ kind: 'case', severity: 'critical', message }];
    }),
  );
}

/** Text without what a copy might change without meaning anything: case, spaces, punctuation at the ends of words. */
const textHash = (text: string): string =>
  sha256(
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  );

function ownVerifier({ checker, deepgym }: Environment): string | null {
  return deepgym?.source ?? (checker.kind === 'script' ? checker.source.text : null);
}

/** Over what decides: the checker, or the built-in comparison with the references that say what is right. */
function verifierHash(environment: Environment): string {
  const own = ownVerifier(environment);
  if (own !== null) return textHash(own);
  return textHash(
    `${JSON.stringify(environment.checker)} ${environment.references.map((source) => source.text).join('\n')}`,
  );
}

function groups(manifest: readonly ManifestEntry[], key: (entry: ManifestEntry) => string): string[][] {
  const found = new Map<string, string[]>();
  for (const entry of manifest) found.set(key(entry), [...(found.get(key(entry)) ?? []), entry.environment]);
  return [...found.values()].filter((names) => names.length > 1);
}

function splitLeaks(
  kind: Exclude<Leak['kind'], 'case'>,
  duplicates: readonly (readonly string[])[],
  split: (name: string) => Split,
): Leak[] {
  return duplicates.flatMap((names): Leak[] => {
    const hidden = names.filter((name) => privateSplits.includes(split(name)));
    const open = names.filter((name) => !privateSplits.includes(split(name)));
    if (hidden.length === 0 || open.length === 0) return [];
    const severity = kind === 'verifier' ? 'high' : 'critical';
    return [
      {
        kind,
        severity,
        message: `the same ${kind} is private in ${hidden.join(', ')} and public in ${open.join(', ')}`,
      },
    ];
  });
}

function hygiene(environment: Environment, sets: readonly CaseSet[]): string[] {
  const notes: string[] = [];
  const note = (when: boolean, text: string) => when && notes.push(text);
  note(environment.generator === null, 'no generator: every case can be learnt by heart');
  for (const { variant, cases } of sets) {
    note(
      cases.length < fewCases && environment.kind === 'function',
      `variant ${variant} has ${cases.length} cases only`,
    );
  }
  note(environment.references.length === 0, 'no reference');
  note(environment.badAnswers.length === 0, 'no known-bad answers');
  note(environment.floor > 0.25, `worthless answers may earn ${environment.floor}`);
  note(environment.passThreshold < 1, `${environment.passThreshold} is enough to pass`);
  note(environment.licence === '', 'no licence');
  note(environment.provenance === '', 'no provenance');
  return notes;
}

function recommend(
  leaks: readonly Leak[],
  duplicateTasks: readonly (readonly string[])[],
  duplicateVerifiers: readonly (readonly string[])[],
  counts: Readonly<Record<Split, number>>,
  manifest: readonly ManifestEntry[],
): string[] {
  const list: string[] = [];
  if (leaks.some((leak) => leak.kind === 'case'))
    list.push('Draw the cases of eval and holdout again, from other seeds.');
  if (leaks.some((leak) => leak.kind !== 'case'))
    list.push('Put copies of an environment into the same split: --split NAME=SPLIT.');
  for (const names of duplicateTasks) list.push(`Keep one of ${names.join(', ')}: their tasks are the same.`);
  for (const names of duplicateVerifiers)
    list.push(`See whether ${names.join(', ')} differ: their checkers are the same.`);
  if (counts.private_holdout === 0) list.push('Hold at least one environment back: --holdout-ratio.');
  const learnable = manifest.filter((entry) => entry.notes.some((text) => text.startsWith('no generator')));
  if (learnable.length > 0) list.push(`Give a generator to ${learnable.map((entry) => entry.environment).join(', ')}.`);
  return list;
}
