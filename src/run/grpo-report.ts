import { UserError } from '../config/index.js';
import { type Console, formatNumber } from '../observe/index.js';
import type { Accuracy, Evaluation, GradientResult, Metrics, RewardFailure } from '../rl/index.js';
import type { Trajectory } from '../rollout/index.js';
import { type BadSequence, firstStepHint, writeBadBatch } from './bad-batch.js';
import type { Run } from './method.js';

/** An evaluation under the names of metrics.jsonl; what has no value is left out. */
export function evaluationMetrics(evaluation: Evaluation & { readonly seconds: number }): Metrics {
  const { reward, rewards, accuracy, noVerdict, truncated, seconds } = evaluation;
  return {
    ...(reward !== null && { eval_reward: reward }),
    ...(accuracy.value !== null && {
      eval_accuracy: accuracy.value,
      eval_accuracy_low: accuracy.low,
      eval_accuracy_high: accuracy.high,
    }),
    ...Object.fromEntries(
      Object.entries(rewards).flatMap(([name, value]) => (value === null ? [] : [[`eval_rewards/${name}`, value]])),
    ),
    eval_no_verdict: noVerdict,
    eval_truncated: truncated,
    eval_seconds: seconds,
  };
}

export function formatAccuracy({ value, correct, total, low, high }: Accuracy): string {
  if (value === null) return 'no held-out answer got a verdict';
  return `accuracy ${value.toFixed(3)} (${correct} of ${total} held-out prompts; 95 % interval ${low.toFixed(3)} to ${high.toFixed(3)})`;
}

/** What the progress bar says behind the steps. A figure that the last update lacks keeps its former value. */
export function progressNote(metrics: Metrics, before: string): string {
  const { reward, loss, 'completions/mean_length': length, entropy } = metrics;
  if (reward === undefined) return before;
  return [
    `reward ${formatNumber(reward)}`,
    ...(length === undefined ? [] : [`length ${formatNumber(length)}`]),
    ...(loss === undefined ? [] : [`loss ${formatNumber(loss)}`]),
    ...(entropy === undefined ? [] : [`entropy ${formatNumber(entropy)}`]),
  ].join('  ');
}

export function reportFailures(console: Console, step: number, failures: readonly RewardFailure[]): void {
  for (const { completions, message } of failures) {
    console.warn(`step ${step}: ${completions} answers got no verdict and are left out. ${message}`);
  }
}

export interface IdleWatch {
  /** @param metrics of one update; without a loss it changed no weight */
  update(metrics: Metrics): void;
  end(): void;
}

/** Says when updates train nothing: a run whose rewards never differ would else pass for a finished one. */
export function createIdleWatch(console: Pick<Console, 'warn'>): IdleWatch {
  const alarm = 10;
  let updates = 0;
  let idle = 0;
  const cause =
    'the answers to each prompt got the same reward, or none (reward_std, completions/no_verdict and skipped_* in metrics.jsonl)';
  return {
    update(metrics) {
      updates++;
      idle = metrics.loss === undefined ? idle + 1 : 0;
      if (idle === alarm) console.warn(`the last ${alarm} steps trained nothing: ${cause}`);
    },
    end() {
      if (updates > 0 && idle === updates)
        console.warn(`no step trained anything, the weights are as before: ${cause}`);
    },
  };
}

/** Sampled answers as text, each under its reward and advantage. @param limit null = all */
export function formatCompletions(trajectories: readonly Trajectory[], limit: number | null): string {
  const shown = trajectories.slice(0, limit ?? trajectories.length);
  const figure = (value: number | null) => (value === null ? 'none' : formatNumber(value));
  return shown
    .map(({ promptText, text, verdict, advantage, finishReason }) => {
      const reward = verdict.kind === 'scored' ? figure(verdict.reward) : `none (${verdict.cause})`;
      const cut = finishReason === 'length' ? ', cut off' : '';
      return `── reward ${reward}, advantage ${figure(advantage)}${cut}\n${promptText}${text}`;
    })
    .join('\n');
}

/** The error of an update that cannot be made; the sequences of the step go to a file. */
export function notFinite(
  run: Run,
  step: number,
  reason: string,
  { trained }: GradientResult,
  origins: ReadonlyMap<string, string>,
): Error {
  const sequences = trained.map(
    ({ trajectory, sequence, oldLogprobs, logprobs }): BadSequence => ({
      origin: origins.get(trajectory.promptId) ?? trajectory.promptId,
      tokens: sequence.targets,
      trained: sequence.wanted,
      logprobs: oldLogprobs ?? logprobs,
    }),
  );
  const path = writeBadBatch(run.outputDir, step, reason, run.tokenizer, sequences);
  const rows = [...new Set(sequences.map(({ origin }) => origin))];
  const more = rows.length > 5 ? ` and ${rows.length - 5} more` : '';
  return new UserError(
    `Step ${step}: the ${reason}. The run has stopped; no update was made with it. Prompts of the batch: ${rows.slice(0, 5).join(', ')}${more}; ` +
      `tokens and texts are in ${path}. ${step === 1 ? firstStepHint : 'A lower learning_rate or max_grad_norm: 1 usually helps.'}`,
  );
}
