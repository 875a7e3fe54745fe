import { type LoadedConfig, UserError } from '../config/index.js';
import { createLocalEngine, type LocalEngine } from '../engine/index.js';
import { type Console, createConsole, formatCount } from '../observe/index.js';
import { type Evaluation, evaluateRewards, type RewardScorer } from '../rl/index.js';
import type { PreparedPrompt } from '../rollout/index.js';
import { openEnvironments } from './environments.js';
import { reportFailures } from './grpo-report.js';
import { type OpenRewards, openRewards, preparedPrompt, readGrpoPrompts, samplingOf } from './grpo-setup.js';
import type { MethodInputs } from './method.js';
import { engineOptions, openSource } from './open-model.js';

export interface HeldOutRequest extends Pick<MethodInputs, 'config' | 'tokenizer' | 'console' | 'signal'> {
  readonly engine: Pick<LocalEngine, 'sample'>;
  readonly prompts: readonly PreparedPrompt[];
  readonly scorer: RewardScorer;
  readonly step: number;
}

/** Answers the held-out prompts greedily with the published weights and judges the answers. */
export async function evaluateHeldOut(request: HeldOutRequest): Promise<Evaluation & { readonly seconds: number }> {
  const { config, tokenizer, console, prompts } = request;
  const started = performance.now();
  const bar = console.progress({ label: 'evaluate', total: prompts.length, unit: 'answers' });
  const evaluation = await evaluateRewards(request.engine, tokenizer, prompts, request.scorer, {
    params: {
      ...samplingOf(config, tokenizer),
      temperature: 0,
      topP: 1,
      topK: 0,
      minP: 0,
      repetitionPenalty: 1,
    },
    seed: config.seed,
    step: request.step,
    signal: request.signal,
    onProgress: ({ finished, sampledTokens }) => bar.update(finished, `${formatCount(sampledTokens)} tokens`),
  }).finally(() => bar.stop());
  reportFailures(console, request.step, evaluation.failures);
  return { ...evaluation, seconds: (performance.now() - started) / 1000 };
}

/**
 * Measures the model of a GRPO config on its held-out prompts, without training and without writing anything.
 * Rejects where the config has none.
 */
export async function evaluate(
  { config }: LoadedConfig,
  options: { readonly console?: Console; readonly signal?: AbortSignal } = {},
): Promise<Evaluation> {
  const console = options.console ?? createConsole();
  const signal = options.signal ?? new AbortController().signal;
  const source = await openSource(config, console);
  const inputs: MethodInputs = { config, tokenizer: source.tokenizer, console, debug: false, signal };
  const environments = await openEnvironments(config, signal);
  let engine: LocalEngine | null = null;
  let rewards: OpenRewards | null = null;
  try {
    const { train, held } = await readGrpoPrompts(inputs, environments);
    if (held.length === 0) throw new UserError('There are no held-out prompts: give test_datasets or val_set_size.');
    rewards = await openRewards(inputs, train[0]!, environments);
    engine = await createLocalEngine({ ...engineOptions(config, source), train: 'none' });
    const prompts = held.map(preparedPrompt);
    return await evaluateHeldOut({
      config,
      tokenizer: source.tokenizer,
      console,
      signal,
      engine,
      prompts,
      scorer: rewards.scorer,
      step: 0,
    });
  } finally {
    await engine?.dispose();
    await rewards?.close();
    await environments?.dispose();
  }
}
