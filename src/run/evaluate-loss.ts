import { type Example, planBatches } from '../data/index.js';
import type { Engine } from '../engine/index.js';
import { countTrained, sftBatch } from '../methods/index.js';
import type { Console } from '../observe/index.js';

export interface EvaluationRequest {
  readonly examples: readonly Example[];
  readonly batchSize: number;
  readonly sequenceLen: number;
  readonly packing: boolean;
  readonly console: Console;
  readonly stop: AbortSignal;
}

export interface LossEvaluation {
  /** Mean negative log-probability over all trained tokens of all examples. */
  readonly loss: number;
  readonly perplexity: number;
  readonly seconds: number;
}

/** The loss on held-out examples, every token weighing the same; null when `stop` fired before the end. */
export async function evaluateLoss(
  engine: Pick<Engine, 'forward'>,
  request: EvaluationRequest,
): Promise<LossEvaluation | null> {
  const { examples, batchSize, sequenceLen, packing, console, stop } = request;
  const batches = planBatches({
    lengths: examples.map((example) => example.tokens.length),
    config: {
      micro_batch_size: batchSize,
      gradient_accumulation_steps: 1,
      sequence_len: sequenceLen,
      sample_packing: packing,
    },
    seed: 0,
    epoch: 0,
  }).flat();
  const started = performance.now();
  const bar = console.progress({ label: 'evaluate', total: batches.length, unit: 'batches' });
  let sum = 0;
  let tokens = 0;
  try {
    for (const [done, indices] of batches.entries()) {
      if (stop.aborted) return null;
      const chosen = indices.map((index) => examples[index]!);
      const { logprobs } = await engine.forward(sftBatch(chosen, 1));
      for (const values of logprobs) for (const value of values) sum -= value;
      tokens += countTrained(chosen);
      bar.update(done + 1, `loss ${(sum / tokens).toFixed(4)}`);
    }
  } finally {
    bar.stop();
  }
  const loss = sum / tokens;
  return { loss, perplexity: Math.exp(loss), seconds: (performance.now() - started) / 1000 };
}
