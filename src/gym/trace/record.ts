import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gymAsset, packageVersion } from '../assets.js';
import type { CaseSet, Environment, Language } from '../environment/types.js';
import type { Action, EpisodeRecord } from '../episode/types.js';
import type { SandboxCapabilities } from '../sandbox/types.js';
import type { Verdict } from '../verdict.js';
import { type Trace, type TraceMessage, type TraceVersions, traceSchemaVersion } from './trace.js';

interface TraceSource {
  readonly environment: Environment;
  /** null where they could not be made ready; then name the variant. */
  readonly cases: Pick<CaseSet, 'variant' | 'seed' | 'hash'> | null;
  readonly variant?: string | undefined;
  readonly language: Language;
  readonly capabilities: SandboxCapabilities;
  readonly model?: string | undefined;
  /** Milliseconds from the prompt to the verdict. */
  readonly totalMs?: number | undefined;
}

export interface RunSource extends TraceSource {
  /** What the model was asked: a text, or a conversation. */
  readonly prompt: string | readonly TraceMessage[];
  /** What the model said, as it said it. */
  readonly completion: string;
  readonly verdict: Verdict;
}

export interface EpisodeSource extends TraceSource {
  /** An ended one: its verdict is there. */
  readonly record: EpisodeRecord;
  /** What model and environment said to each other. Default: the observations as the user's turns, the actions as the assistant's. */
  readonly messages?: readonly TraceMessage[];
}

/** The trace of one judged answer. */
export function traceOfRun(source: RunSource): Trace {
  const { prompt, completion, verdict } = source;
  const asked = typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt;
  return trace(source, 'run', {
    messages: [...asked, { role: 'assistant', content: completion }],
    actions: [],
    observations: [],
    stepRewards: verdict.kind === 'scored' ? [verdict.score] : [],
    truncation: null,
    verdict,
  });
}

/** The trace of an episode that has ended. One without a verdict, as after an abort, has none to give and is stored so. */
export function traceOfEpisode(source: EpisodeSource): Trace {
  const { record } = source;
  return trace(source, 'episode', {
    messages: source.messages ?? conversationOf(record),
    actions: record.actions,
    observations: record.observations,
    stepRewards: record.stepRewards,
    truncation: record.truncated ? (record.reason ?? 'truncated') : null,
    verdict: record.verdict ?? {
      kind: 'noVerdict',
      cause: 'aborted',
      message: 'The episode was left before its verdict.',
      retries: 0,
      ms: 0,
    },
  });
}

type Content = Pick<Trace, 'messages' | 'actions' | 'observations' | 'stepRewards' | 'truncation' | 'verdict'>;

function trace(source: TraceSource, kind: Trace['kind'], content: Content): Trace {
  const { environment, cases, language, capabilities } = source;
  return Object.freeze({
    schemaVersion: traceSchemaVersion,
    id: randomUUID(),
    kind,
    environment: environment.name,
    contentHash: environment.contentHash,
    variant: cases?.variant ?? source.variant ?? environment.defaultVariant,
    caseSetHash: cases?.hash ?? null,
    seed: cases?.seed ?? null,
    language,
    model: source.model ?? null,
    ...content,
    timings: { verdictMs: content.verdict.ms, totalMs: source.totalMs ?? null },
    sandbox: { name: capabilities.name, isolated: capabilities.isolated, inForce: capabilities.inForce },
    versions: versionsOf(capabilities),
    createdAt: new Date().toISOString(),
  });
}

/** The text of an action as a step of a conversation. */
export function actionText(action: Action): string {
  if (action.type === 'finish') return 'finish';
  if (action.type === 'tool') return JSON.stringify({ name: action.name, arguments: action.arguments });
  const fence = '`'.repeat(Math.max(3, longestRun(action.content) + 1));
  return `${fence}${action.type}\n${action.content}\n${fence}`;
}

const longestRun = (text: string) => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));

function conversationOf({ actions, observations }: EpisodeRecord): TraceMessage[] {
  const turns: TraceMessage[] = [];
  for (let at = 0; at < Math.max(observations.length, actions.length); at++) {
    const observation = observations[at];
    const action = actions[at];
    if (observation !== undefined) turns.push({ role: 'user', content: observation.content });
    if (action !== undefined) turns.push({ role: 'assistant', content: actionText(action) });
  }
  return turns;
}

function versionsOf(capabilities: SandboxCapabilities): TraceVersions {
  return {
    anneal: packageVersion(),
    node: process.versions.node,
    python: capabilities.languages.python,
    driver: driverHash(gymAsset('drivers')),
  };
}

function driverHash(directory: string): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isFile())
      hash
        .update(`${entry.name}\0`)
        .update(readFileSync(join(directory, entry.name)))
        .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}
