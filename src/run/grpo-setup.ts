import { basename } from 'node:path';
import { type RunConfig, type TrlConfig, UserError } from '../config/index.js';
import { formatPromptReport, type Prompt, promptsFrom, readPrompts } from '../data/index.js';
import type { SamplingParams } from '../engine/index.js';
import { formatBytes } from '../observe/index.js';
import {
  checkRewards,
  createRewardScorer,
  createWatchdog,
  type GrpoLossSettings,
  loadRewards,
  type Reference,
  type RewardScorer,
} from '../rl/index.js';
import type { PreparedPrompt } from '../rollout/index.js';
import type { Tokenizer } from '../tokenizer/index.js';
import type { OpenEnvironments } from './environments.js';
import type { MethodInputs, Run } from './method.js';
import { answerEnds } from './open-tokenizer.js';

export interface Prompts {
  readonly train: readonly Prompt[];
  readonly held: readonly Prompt[];
}

/** The options of `rl: grpo`, which the config's rules make sure of. */
export function trlOf({ trl }: RunConfig): TrlConfig {
  if (trl === null) throw new UserError('rl: grpo needs trl.reward_funcs, or environments.');
  return trl;
}

export async function readGrpoPrompts(
  { config, tokenizer, console, signal }: MethodInputs,
  environments: OpenEnvironments | null,
): Promise<Prompts> {
  const maxPromptTokens = config.sequence_len - trlOf(config).max_completion_length;
  if (environments !== null) {
    const { rows, dataset } = environments;
    const prepared = promptsFrom(rows, dataset, config, tokenizer, { maxPromptTokens });
    console.log(formatPromptReport(prepared.report));
    return { train: prepared.train, held: prepared.eval };
  }
  const bar = console.progress({ label: 'read data', total: null, unit: 'rows' });
  const prepared = await readPrompts(config, tokenizer, {
    maxPromptTokens,
    signal,
    progress: ({ rows, bytesRead, totalBytes }) =>
      bar.update(rows, `${formatBytes(bytesRead)} of ${formatBytes(totalBytes)}`),
  }).finally(() => bar.stop());
  console.log(formatPromptReport(prepared.report));
  return { train: prepared.train, held: prepared.eval };
}

export interface OpenRewards {
  readonly scorer: RewardScorer;
  close(): Promise<void>;
}

/** Loads the rewards and calls each once on a row, so that their faults show before anything is trained. */
export async function openRewards(
  { config, console, signal }: MethodInputs,
  sample: Prompt,
  environments: OpenEnvironments | null,
): Promise<OpenRewards> {
  const { reward_funcs: named, reward_weights: weights, reward_timeout: seconds } = trlOf(config);
  const options = { baseDir: process.cwd(), weights, timeoutMs: 1000 * seconds };
  const own = named.length === 0 ? [] : await loadRewards(named, options);
  const rewards = environments === null ? own : [environments.reward, ...own];
  const row = { prompt: sample.messages ?? sample.promptText, columns: sample.columns };
  const watchdog = createWatchdog();
  try {
    for (const { name, missingColumns } of await checkRewards(rewards, row, { signal, watchdog })) {
      if (missingColumns.length === 0) continue;
      console.warn(`reward ${name} looks for ${missingColumns.join(', ')}, which the dataset does not have`);
    }
  } catch (error) {
    await watchdog.close();
    throw error;
  }
  return { scorer: createRewardScorer(rewards, { watchdog }), close: () => watchdog.close() };
}

/** A row's prompt as the sampler takes it. Its id does not depend on where the data lies. */
export function preparedPrompt({ origin, messages, promptText, promptIds, columns }: Prompt): PreparedPrompt {
  return {
    id: `${origin.dataset}/${basename(origin.file)}:${origin.line}`,
    prompt: messages ?? promptText,
    text: promptText,
    tokens: promptIds,
    columns,
  };
}

export function samplingOf(config: RunConfig, tokenizer: Tokenizer): SamplingParams {
  const trl = trlOf(config);
  return {
    maxTokens: trl.max_completion_length,
    temperature: trl.temperature,
    topP: trl.top_p,
    topK: trl.top_k,
    minP: trl.min_p,
    repetitionPenalty: trl.repetition_penalty,
    stopTokens: answerEnds(tokenizer, config.eot_tokens),
    stopStrings: [],
  };
}

export function lossSettings(config: RunConfig): GrpoLossSettings {
  const trl = trlOf(config);
  return {
    lossType: trl.loss_type,
    epsilon: trl.epsilon,
    epsilonHigh: trl.epsilon_high,
    beta: trl.beta,
    importanceSamplingLevel: trl.importance_sampling_level,
    maskTruncated: trl.mask_truncated_completions,
    maxCompletionLength: trl.max_completion_length,
    passSize: config.micro_batch_size,
    passTokens: config.micro_batch_size * config.sequence_len,
    temperature: trl.temperature,
    compareWith: comparison(config, trl),
  };
}

/** Below temperature 1 the distribution that is drawn from can only be compared when nothing is cut off. */
function comparison(config: RunConfig, trl: TrlConfig): GrpoLossSettings['compareWith'] {
  if (config.adapter !== null && config.lora_dropout > 0) return null;
  if (trl.temperature === 1) return 'logprobs';
  const cut = trl.top_p < 1 || trl.top_k > 0 || trl.min_p > 0 || trl.repetition_penalty !== 1;
  return cut ? null : 'samplingLogprobs';
}

/** The frozen reference: the base without its adapter, or for full training a second copy of the weights it began with. */
export async function openReference(run: Run): Promise<{ forward: Reference; dispose(): Promise<void> } | null> {
  if (trlOf(run.config).beta === 0) return null;
  if (run.config.adapter !== null) {
    return {
      forward: (batch, options) => run.engine.forward(batch, { ...options, adapter: 'off' }),
      dispose: async () => {},
    };
  }
  const engine = await run.openInitial();
  return { forward: (batch, options) => engine.forward(batch, options), dispose: () => engine.dispose() };
}
