import type { Action, Observation } from '../episode/types.js';
import { actionText } from './record.js';
import type { Trace, TraceMessage } from './trace.js';

/** One run or episode for reinforcement learning. */
export interface RlRow {
  readonly id: string;
  readonly kind: Trace['kind'];
  readonly environment: string;
  readonly variant: string;
  readonly language: string;
  readonly model: string | null;
  readonly seed: number | null;
  readonly messages: readonly TraceMessage[];
  readonly actions: readonly Action[];
  readonly step_rewards: readonly number[];
  /** The sum of `step_rewards`. */
  readonly reward: number;
  readonly score: number;
  readonly passed: boolean;
  readonly verdict: Trace['verdict'];
}

/** A conversation that passed, as `type: chat_template` reads it. */
export interface SftRow {
  readonly messages: readonly TraceMessage[];
}

/** As `type: stepwise_supervised` reads it. */
export interface PrmRow {
  readonly prompt: string;
  readonly completions: readonly string[];
  readonly labels: readonly boolean[];
}

/** A row, or why the trace gives none. */
export type RowOf<Row> = Row | string;

export function rlRow(trace: Trace): RowOf<RlRow> {
  const { id, kind, environment, variant, language, model, seed, actions, stepRewards, verdict } = trace;
  if (verdict.kind === 'noVerdict') return `no verdict: ${verdict.cause}`;
  return {
    id,
    kind,
    environment,
    variant,
    language,
    model,
    seed,
    messages: trace.messages.map(plainMessage),
    actions,
    step_rewards: stepRewards,
    reward: stepRewards.reduce((sum, reward) => sum + reward, 0),
    score: verdict.score,
    passed: verdict.passed,
    verdict,
  };
}

export function sftRow(trace: Trace): RowOf<SftRow> {
  if (trace.verdict.kind === 'noVerdict') return `no verdict: ${trace.verdict.cause}`;
  if (!trace.verdict.passed) return 'not passed';
  const end = trace.messages.findLastIndex((message) => message.role === 'assistant');
  if (end < 0) return 'nothing said by the model';
  if (end === 0) return 'no prompt';
  return { messages: trace.messages.slice(0, end + 1).map(plainMessage) };
}

const plainMessage = ({ role, content }: TraceMessage): TraceMessage => ({ role, content });

/** The prompt and the steps of a trace: of an episode its actions, of a run its one answer. */
export interface Steps {
  readonly prompt: string;
  /** Each with the observation that it follows on, but for the first, which follows on the prompt. */
  readonly completions: readonly string[];
  /** The steps alone, which tell whether two traces share a beginning. */
  readonly keys: readonly string[];
  readonly rewards: readonly number[];
}

/** The steps of a trace, or why they cannot be told. */
export function stepsOf(trace: Trace): Steps | string {
  const end = trace.messages.findIndex((message) => message.role === 'assistant');
  const asked = trace.messages.slice(0, end < 0 ? trace.messages.length : end);
  if (asked.length === 0) return 'no prompt';
  const prompt = asked.map((message) => message.content).join('\n\n');
  if (trace.kind === 'run') {
    const answer = trace.messages.at(-1)!;
    if (answer.role !== 'assistant') return 'nothing said by the model';
    if (trace.messages.length !== asked.length + 1) return 'a run with several answers';
    return { prompt, completions: [answer.content], keys: [answer.content], rewards: trace.stepRewards };
  }
  if (trace.actions.length === 0) return 'no actions';
  const seen = new Map(trace.observations.map((observation: Observation) => [observation.step, observation.content]));
  const keys = trace.actions.map(actionText);
  const completions = keys.map((text, at) => {
    const before = at === 0 ? undefined : seen.get(at);
    return before === undefined || before === '' ? text : `${before}\n\n${text}`;
  });
  return { prompt, completions, keys, rewards: trace.stepRewards };
}
