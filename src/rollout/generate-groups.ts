import type { Engine, SampleRequest, SampleResult, SamplingParams } from '../engine/types.js';
import type { Tokenizer } from '../tokenizer/index.js';
import type { PreparedPrompt } from './prompt.js';
import { sampleSeed } from './sample-seed.js';
import type { Rollout } from './trajectory.js';

/** All answers to one prompt. */
export interface RolloutGroup {
  readonly prompt: PreparedPrompt;
  readonly rollouts: readonly Rollout[];
}

export interface GenerateProgress {
  readonly finished: number;
  readonly total: number;
  readonly sampledTokens: number;
}

export interface GenerateOptions {
  readonly numGenerations: number;
  /** With the stop tokens in it (`stopTokens`). */
  readonly params: SamplingParams;
  /** Seed of the run. */
  readonly seed: number;
  readonly step: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: GenerateProgress) => void;
}

/**
 * Samples `numGenerations` answers to each prompt with the published weights, in one call of the engine.
 * An answer that the engine gave up keeps `finishReason: 'aborted'`; when `signal` aborts, its reason is thrown.
 */
export async function generateGroups(
  engine: Pick<Engine, 'sample'>,
  tokenizer: Tokenizer,
  prompts: readonly PreparedPrompt[],
  options: GenerateOptions,
): Promise<readonly RolloutGroup[]> {
  const { numGenerations, params, seed, step, signal, onProgress } = options;
  const requests = prompts.flatMap((prompt) =>
    Array.from(
      { length: numGenerations },
      (_, generation): SampleRequest => ({
        prompt: prompt.tokens,
        params,
        seed: sampleSeed(seed, step, prompt.id, generation),
      }),
    ),
  );
  if (requests.length === 0) return [];

  const started = performance.now();
  const sampleMs = new Float64Array(requests.length);
  let finished = 0;
  let sampledTokens = 0;
  const report = () => onProgress?.({ finished, total: requests.length, sampledTokens });
  const results = await engine.sample(requests, {
    ...(signal && { signal }),
    onResult: (index) => {
      sampleMs[index] = performance.now() - started;
      finished += 1;
      report();
    },
    onProgress: (tokens) => {
      sampledTokens = tokens;
      report();
    },
  });
  signal?.throwIfAborted();

  return prompts.map((prompt, group) => ({
    prompt,
    rollouts: Array.from({ length: numGenerations }, (_, generation): Rollout => {
      const index = group * numGenerations + generation;
      const result = results[index];
      if (!result) throw new Error(`The engine returned ${results.length} samples for ${requests.length} requests.`);
      return {
        id: `${step}-${group}-${generation}`,
        step,
        group,
        generation,
        promptId: prompt.id,
        prompt: prompt.prompt,
        promptText: prompt.text,
        seed: requests[index]!.seed,
        spans: [
          { kind: 'prompt', tokens: prompt.tokens },
          {
            kind: 'assistant',
            tokens: result.tokens,
            logprobs: result.logprobs,
            samplingLogprobs: result.samplingLogprobs,
            policyVersion: result.policyVersion,
          },
        ],
        text: answerText(tokenizer, result, params.stopTokens),
        finishReason: result.finishReason,
        timings: { sampleMs: sampleMs[index]! },
      };
    }),
  }));
}

function answerText(tokenizer: Tokenizer, result: SampleResult, stops: readonly number[]): string {
  const { tokens } = result;
  // The stop token goes by id: one that the tokenizer does not mark as special would survive skipSpecialTokens.
  const stopped = tokens.length > 0 && stops.includes(tokens[tokens.length - 1]!);
  return tokenizer.decode(stopped ? tokens.subarray(0, -1) : tokens, { skipSpecialTokens: true });
}
