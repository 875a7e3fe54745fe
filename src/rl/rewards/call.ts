import type { Reward, RewardBatch } from './reward.js';
import { RewardError } from './reward-error.js';
import { userStack } from './user-stack.js';
import type { Watchdog } from './watchdog.js';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Names a call that blocks the thread beyond the reward's limit. */
  readonly watchdog?: Watchdog;
}

/** How long after its limit a call that did not return must be blocking the thread, as the limit would have ended it. */
const graceMs = 5000;

/**
 * Calls a reward and gives what it returned, unchecked. Throws what it throws, or that its time ran out, or the abort. Only an
 * async function can be given up on; one that blocks the thread can but be named.
 */
export async function callReward(reward: Reward, batch: RewardBatch, options: CallOptions = {}): Promise<unknown> {
  const { signal, watchdog } = options;
  const { timeoutMs } = reward;
  signal?.throwIfAborted();
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const interrupted = new Promise<never>((_, reject) => {
    const stop = (reason: unknown) => {
      reject(reason);
      controller.abort(reason);
    };
    onAbort = () => stop(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (timeoutMs === undefined) return;
    timer = setTimeout(() => {
      stop(new RewardError(`no answer within ${timeoutMs / 1000} s (trl.reward_timeout)`));
    }, timeoutMs);
    // Where nothing else is left that could settle the call, the process ends at once and says so.
    timer.unref();
  });
  const endWatch =
    timeoutMs === undefined
      ? undefined
      : watchdog?.watch(describeBlock(reward, batch, timeoutMs + graceMs), timeoutMs + graceMs);
  const { prompts, completions, columns, completionIds } = batch;
  try {
    const returned = reward.score(prompts, completions, columns, { completionIds, signal: controller.signal });
    return await Promise.race([returned, interrupted]);
  } finally {
    endWatch?.();
    clearTimeout(timer);
    if (onAbort) signal?.removeEventListener('abort', onAbort);
  }
}

function describeBlock(reward: Reward, batch: RewardBatch, afterMs: number): string {
  return (
    `Reward ${reward.source} has not returned for ${afterMs / 1000} s and blocks the run. Ctrl-C does not reach a blocked run; ` +
    `kill -9 ${process.pid} ends it.\n  in the call ${showCall(reward.name, batch)}`
  );
}

/** A value per completion (null = nothing to say), or what is wrong with it. */
export type Checked = number | null | { readonly problem: string };

/** Checks what a reward returned for `count` completions. Throws where the whole of it is unusable. */
export function checkReturned(returned: unknown, count: number): readonly Checked[] {
  if (!Array.isArray(returned)) {
    throw new RewardError(`it returned ${show(returned)}; wanted is an array with one number or null per completion`);
  }
  if (returned.length !== count) {
    throw new RewardError(
      `it returned ${returned.length} values for ${count} completions; wanted is one per completion`,
    );
  }
  return Array.from(returned as unknown[], (value, index): Checked => {
    if (value === null || (typeof value === 'number' && Number.isFinite(value))) return value;
    if (value instanceof Error) return { problem: value.message };
    const hint =
      value === undefined ? ' (a branch without return?)' : typeof value === 'boolean' ? ' (use 1 and 0)' : '';
    return { problem: `it returned ${show(value)} for completion ${index}${hint}; wanted is a finite number or null` };
  });
}

/** What a reward did wrong, with the call that shows it: arguments shortened, the user's own frames. */
export function describeFailure(reward: Reward, batch: RewardBatch, failure: unknown): string {
  const what = failure instanceof RewardError ? failure.message : userStack(failure);
  return `Reward ${reward.source} failed: ${what}\n  in the call ${showCall(reward.name, batch)}`;
}

const MAX_TEXT = 60;
const MAX_ITEMS = 2;

function showCall(name: string, { prompts, completions, columns }: RewardBatch): string {
  const shownColumns = Object.entries(columns).map(([key, values]) => `${key}: ${show(values)}`);
  return `${name}(${show(prompts)}, ${show(completions)}, { ${shownColumns.join(', ')} })`;
}

function show(value: unknown): string {
  if (typeof value === 'string') {
    return value.length <= MAX_TEXT ? JSON.stringify(value) : `${JSON.stringify(value.slice(0, MAX_TEXT))}…`;
  }
  if (Array.isArray(value)) {
    const rest = value.length - MAX_ITEMS;
    const shown = value.slice(0, MAX_ITEMS).map(show).join(', ');
    return `[${shown}${rest > 0 ? `, … ${rest} more` : ''}]`;
  }
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, entry]) => `${key}: ${show(entry)}`)
      .join(', ')} }`;
  }
  return typeof value === 'function' ? 'a function' : String(value);
}
