import { z } from 'zod';
import { type Language, languages } from '../environment/types.js';
import type { Action, Observation } from '../episode/types.js';
import { type SandboxName, sandboxNames } from '../sandbox/types.js';
import type { Verdict } from '../verdict.js';

/** Raised when a record of an older kind could no longer be read as one of this kind. */
export const traceSchemaVersion = 1;

export interface TraceMessage {
  readonly role: string;
  readonly content: string;
}

export interface TraceVersions {
  readonly anneal: string;
  readonly node: string;
  /** null where the sandbox has none. */
  readonly python: string | null;
  /** Of the programs that call answers: sha256 over them, shortened. */
  readonly driver: string;
}

/** One judged answer or one episode, with all that is needed to use it in training and to judge it again. */
export interface Trace {
  readonly schemaVersion: typeof traceSchemaVersion;
  readonly id: string;
  readonly kind: 'run' | 'episode';
  /** The environment's name. */
  readonly environment: string;
  /** sha256 over the environment's folder. */
  readonly contentHash: string;
  readonly variant: string;
  /** sha256 over the cases. null where they were not made ready, as when there is no verdict. */
  readonly caseSetHash: string | null;
  readonly seed: number | null;
  readonly language: Language;
  /** Who answered. null when unknown. */
  readonly model: string | null;
  /** The conversation, from the prompt to the last thing that the model said. */
  readonly messages: readonly TraceMessage[];
  /** Of an episode; a run has none. */
  readonly actions: readonly Action[];
  /** The one at 0 came before the first action. */
  readonly observations: readonly Observation[];
  /** One for each action; of a run its score alone, or none where there is no verdict. */
  readonly stepRewards: readonly number[];
  /** Why an episode was truncated. */
  readonly truncation: string | null;
  readonly verdict: Verdict;
  readonly timings: {
    /** Of the verification. */
    readonly verdictMs: number;
    /** From the prompt to the verdict, where it was measured. */
    readonly totalMs: number | null;
  };
  readonly sandbox: { readonly name: SandboxName; readonly isolated: boolean; readonly inForce: readonly string[] };
  readonly versions: TraceVersions;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

const shares = z.record(z.string(), z.number());

const verdict = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('scored'),
    score: z.number(),
    passed: z.boolean(),
    cases: z.array(z.looseObject({ id: z.string(), passed: z.boolean(), score: z.number() })),
    rewardComponents: shares,
    metrics: shares,
    truncated: z.boolean(),
    ms: z.number(),
  }),
  z.looseObject({
    kind: z.literal('noVerdict'),
    cause: z.string(),
    message: z.string(),
    retries: z.number(),
    ms: z.number(),
  }),
]);

const action = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['bash', 'python']), content: z.string() }),
  z.object({ type: z.literal('tool'), name: z.string(), arguments: z.unknown() }),
  z.object({ type: z.literal('finish') }),
]);

/** What a line of a file must be. Keys that a later version added are kept. */
const schema = z.looseObject({
  schemaVersion: z.literal(traceSchemaVersion),
  id: z.string(),
  kind: z.enum(['run', 'episode']),
  environment: z.string(),
  contentHash: z.string(),
  variant: z.string(),
  caseSetHash: z.string().nullable(),
  seed: z.number().nullable(),
  language: z.enum(languages),
  model: z.string().nullable(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
  actions: z.array(action),
  observations: z.array(z.looseObject({ content: z.string(), step: z.number() })),
  stepRewards: z.array(z.number()),
  truncation: z.string().nullable(),
  verdict,
  timings: z.looseObject({ verdictMs: z.number(), totalMs: z.number().nullable() }),
  sandbox: z.looseObject({ name: z.enum(sandboxNames), isolated: z.boolean(), inForce: z.array(z.string()) }),
  versions: z.looseObject({ anneal: z.string(), node: z.string(), python: z.string().nullable(), driver: z.string() }),
  createdAt: z.string(),
});

/** The trace that a parsed line holds, or why it holds none. */
export function parseTrace(json: unknown): Trace | string {
  const version = (json as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (typeof version === 'number' && version > traceSchemaVersion) {
    return `written in version ${version} of the format; this anneal reads up to ${traceSchemaVersion}`;
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data as unknown as Trace;
  const issue = parsed.error.issues[0]!;
  return `not a trace: ${issue.path.join('.') || 'the line'}: ${issue.message}`;
}
