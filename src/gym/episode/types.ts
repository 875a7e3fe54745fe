import type { Verdict } from '../verdict.js';

export type Action =
  | { readonly type: 'bash' | 'python'; readonly content: string }
  | { readonly type: 'tool'; readonly name: string; readonly arguments: unknown }
  /** The agent says that it is done. */
  | { readonly type: 'finish' };

export interface Observation {
  readonly content: string;
  /** 0 after `reset`. */
  readonly step: number;
}

/** Gymnasium's five: observation, reward, terminated, truncated, info. */
export interface StepResult {
  readonly observation: Observation;
  readonly reward: number;
  /** The task is solved or given up: `finish` was called, or a full score reached. */
  readonly terminated: boolean;
  /** The step limit, a time limit or the sandbox ended it. */
  readonly truncated: boolean;
  readonly info: Readonly<Record<string, unknown>>;
}

export interface EpisodeRecord {
  readonly observations: readonly Observation[];
  readonly actions: readonly Action[];
  readonly stepRewards: readonly number[];
  readonly terminated: boolean;
  readonly truncated: boolean;
  /** Why it was truncated. */
  readonly reason: string | null;
  /** null before the end. */
  readonly verdict: Verdict | null;
}

export interface Episode {
  reset(options?: {
    readonly seed?: number;
  }): Promise<{ readonly observation: Observation; readonly info: Readonly<Record<string, unknown>> }>;
  /** @throws GymError after the end, before `reset`, or for what is no action; the episode then stands as it stood */
  step(action: Action): Promise<StepResult>;
  /** The final verdict; judges the work directory as it stands when the episode has not been judged yet. */
  verdict(): Promise<Verdict>;
  readonly record: EpisodeRecord;
  dispose(): Promise<void>;
}
