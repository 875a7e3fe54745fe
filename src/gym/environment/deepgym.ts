import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type LocatedProblem, problemsOf } from '../../config/index.js';
import { isRecord } from '../is-record.js';
import type { Folder } from './folder.js';
import { freeze } from './freeze.js';
import { EnvironmentError, fileProblem } from './problems.js';
import { sourceFile } from './source-files.js';
import { isStandalone } from './standalone.js';
import { difficulties, type Environment } from './types.js';

const text = (most: number) => z.string().max(most, { error: `expected at most ${most} characters` });
const description = {
  name: text(200).nullish(),
  difficulty: z.enum(difficulties).default('medium'),
  domain: text(100).default('coding'),
  tags: z.array(text(200)).max(20).default([]),
  timeout: z.number().int().min(1).max(3600).default(30),
};
const testCases = z.array(z.record(z.string(), z.unknown())).max(100).nullish();
const variableName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'expected the name of an environment variable' });

/** `metadata.json`, or an entry of a `registry.json`. Keys that have no meaning here are kept as provenance. */
const metadataSchema = z.looseObject({
  ...description,
  id: text(200).optional(),
  type: text(50).optional(),
  family: text(100).optional(),
  path: text(1000).optional(),
  benchmark: text(100).optional(),
});
type Metadata = z.output<typeof metadataSchema>;

/** An environment as DeepGym's HTTP interface takes it. */
const wireSchema = z.strictObject({
  ...description,
  task: text(100_000),
  verifier_code: text(500_000).min(1, { error: 'expected the source of a verifier' }),
  language: text(50).default('python'),
  type: text(50).optional(),
  verifier_path: z.null().optional(),
  snapshot: z.string().nullish(),
  test_cases: testCases,
  env_vars: z
    .record(variableName, text(10_000))
    .refine((variables) => Object.keys(variables).length <= 50, { error: 'expected at most 50 variables' })
    .nullish(),
});

/** A folder with `task.md` and `verifier.py`. `registered` is its entry in a `registry.json`, which wins over `metadata.json`. */
export function loadDeepGym(folder: Folder, name: string, registered: Record<string, unknown> = {}): Environment {
  const problems: LocatedProblem[] = [];
  const json = (path: string, fallback: unknown): unknown => {
    if (!folder.has(path)) return fallback;
    try {
      return JSON.parse(folder.text(path));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      problems.push(fileProblem(`${folder.shown}/${path}`, error.message));
      return fallback;
    }
  };
  const written = json('metadata.json', {});
  const merged = isRecord(written) ? { ...written, ...registered } : written;
  const metadata = read(metadataSchema, merged, `${folder.shown}/metadata.json`, problems);
  const cases = read(testCases, json('test_cases.json', null), `${folder.shown}/test_cases.json`, problems);
  const task = folder.text('task.md').trim();
  if (task === '') problems.push(fileProblem(`${folder.shown}/task.md`, 'empty; it is the text that a model is given'));
  if (problems.length > 0 || metadata === null) throw new EnvironmentError(problems);
  const reference = 'reference_solution.py';
  return build({
    name,
    metadata,
    task,
    source: folder.text('verifier.py'),
    testCases: cases ?? null,
    envVars: {},
    references: folder.has(reference) ? [sourceFile(folder, reference)] : [],
    directory: folder.directory,
    contentHash: folder.hash,
  });
}

/**
 * An environment from the JSON that DeepGym's HTTP interface takes: `{task, verifier_code, timeout, difficulty, domain, tags, test_cases, env_vars}`.
 * @throws EnvironmentError naming everything that is wrong
 */
export function environmentFromDeepGym(json: unknown): Environment {
  const problems: LocatedProblem[] = [];
  const wire = read(wireSchema, json, 'environment', problems);
  if (wire === null) throw new EnvironmentError(problems);
  const contentHash = createHash('sha256').update(JSON.stringify(json)).digest('hex');
  const {
    task,
    verifier_code,
    test_cases,
    env_vars,
    language: _,
    verifier_path: __,
    snapshot: ___,
    ...metadata
  } = wire;
  return build({
    name: wire.name ?? `custom-${contentHash.slice(0, 12)}`,
    metadata,
    task,
    source: verifier_code,
    testCases: test_cases ?? null,
    envVars: env_vars ?? {},
    references: [],
    directory: '',
    contentHash,
  });
}

interface Parts extends Pick<Environment, 'name' | 'task' | 'references' | 'directory' | 'contentHash'> {
  readonly metadata: Metadata;
  readonly source: string;
  readonly testCases: unknown;
  readonly envVars: Readonly<Record<string, string>>;
}

function build({
  name,
  metadata,
  task,
  source,
  testCases,
  envVars,
  references,
  directory,
  contentHash,
}: Parts): Environment {
  const { name: title, id, type, family, path: _, difficulty, domain, tags, timeout, ...rest } = metadata;
  const kinds = type === undefined || tags.includes(type) ? [] : [type];
  return freeze<Environment>({
    name,
    id: id ?? name,
    title: title ?? name,
    kind: 'function',
    languages: ['python'],
    difficulty,
    domain,
    family: family ?? rest.benchmark ?? 'general',
    tags: [...tags, ...kinds],
    licence: 'unspecified',
    provenance: Object.keys(rest).length > 0 ? `DeepGym ${JSON.stringify(rest)}` : 'DeepGym',
    task,
    limits: { caseSeconds: timeout, totalSeconds: timeout, memoryMb: 512, processes: 64, outputKb: 1024, diskMb: 64 },
    passThreshold: 1,
    weights: { correctness: 1 },
    ruleBreakCap: 0.3,
    floor: 0.2,
    signature: null,
    script: null,
    episode: null,
    deepgym: { source, standalone: isStandalone(source), testCases, envVars },
    checker: { kind: 'structural' },
    rules: {},
    generator: null,
    references,
    badAnswers: [],
    variants: {
      default: { name: 'default', declared: [], generated: 0, seed: 0, parameters: {}, task: null },
    },
    defaultVariant: 'default',
    directory,
    contentHash,
  });
}

function read<T extends z.ZodType>(
  schema: T,
  data: unknown,
  where: string,
  problems: LocatedProblem[],
): z.output<T> | null {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    for (const problem of problemsOf(schema, issue, data, [])) problems.push({ ...problem, where });
  }
  return null;
}
