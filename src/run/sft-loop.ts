import { cadence, UserError } from '../config/index.js';
import {
  type Cursor,
  type Example,
  formatDataReport,
  formatOrigin,
  formatPreview,
  type PlannedStep,
  planTraining,
  prepareDataset,
  type TrainingPlan,
} from '../data/index.js';
import { countTrained, crossEntropy, sftBatch } from '../methods/index.js';
import { formatBytes, formatCount, formatNumber } from '../observe/index.js';
import { type BadSequence, firstStepHint, writeBadBatch } from './bad-batch.js';
import { evaluateLoss } from './evaluate-loss.js';
import { digest } from './files.js';
import type { Method, MethodInputs, Outcome, PreparedMethod, Run } from './method.js';
import { optimizerOf } from './optimizer.js';
import type { TrainingProgress } from './trainer-state.js';

/** Sums since the last logged line. */
interface Window {
  readonly loss: number;
  readonly trainedTokens: number;
}

/** What a checkpoint of this loop holds beside the engine's state. */
interface SftState {
  readonly cursor: Cursor;
  /** Tokens of the examples so far. */
  readonly tokens: number;
  readonly window: Window;
  /** The evaluation that was due at this step has not been finished. */
  readonly evaluationDue: boolean;
}

const emptyWindow: Window = { loss: 0, trainedTokens: 0 };
const previewed = 3;

/** Supervised fine-tuning. */
export const sft: Method = async (inputs: MethodInputs): Promise<PreparedMethod> => {
  const { config, console, tokenizer } = inputs;
  const { train, evaluation } = await readExamples(inputs);
  const plan = planTraining({ lengths: train.map((example) => example.tokens.length), config, seed: config.seed });
  if (inputs.debug) {
    for (const example of train.slice(0, previewed)) {
      console.log(formatPreview(example, tokenizer, { color: console.paint('red', 'x') !== 'x' }));
    }
  }
  const tokens = train.reduce((sum, example) => sum + example.tokens.length, 0);
  const trained = countTrained(train);
  const epochs = plan.totalSteps / plan.stepsPerEpoch;
  return {
    name: 'sft',
    totalSteps: plan.totalSteps,
    facts: [
      [
        'steps',
        `${formatCount(plan.totalSteps)} (${formatNumber(epochs)} epochs of ${formatCount(plan.stepsPerEpoch)})`,
      ],
      [
        'batch',
        `${config.micro_batch_size} × ${config.gradient_accumulation_steps} ${config.sample_packing ? `packed rows of ${config.sequence_len} tokens` : 'sequences'} a step`,
      ],
      ['examples', `${formatCount(train.length)} to train on, ${formatCount(evaluation.length)} to evaluate on`],
      [
        'tokens',
        `${formatCount(tokens)} an epoch, ${((100 * trained) / tokens).toFixed(1)} % with loss; about ${formatCount(Math.round(tokens * epochs))} in all`,
      ],
    ],
    decisions: [],
    warnings:
      evaluation.length > 0 && config.eval_strategy === 'no' ? ['eval_strategy is no: held-out data is not used'] : [],
    headline: ['loss', 'eval_loss', 'eval_perplexity'],
    dataDigest: digest(
      train.flatMap(({ tokens: ids, trained: mask }) => [
        new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength),
        mask,
      ]),
    ),
    train: (run) => trainSft(run, train, evaluation, plan),
    dispose: async () => {},
  };
};

async function readExamples({ config, tokenizer, console, signal }: MethodInputs) {
  const bar = console.progress({ label: 'read data', total: null, unit: 'rows' });
  const prepared = await prepareDataset(config, tokenizer, {
    signal,
    progress: ({ rows, bytesRead, totalBytes, tokens }) =>
      bar.update(rows, `${formatBytes(bytesRead)} of ${formatBytes(totalBytes)}  ${formatCount(tokens)} tokens`),
  }).finally(() => bar.stop());
  console.log(formatDataReport(prepared.report));
  return { train: prepared.train, evaluation: prepared.eval };
}

async function trainSft(
  run: Run,
  train: readonly Example[],
  evaluation: readonly Example[],
  plan: TrainingPlan,
): Promise<Outcome> {
  const { config, console, engine, metrics, stop } = run;
  const steps = cadence(config, plan);
  const optimizer = optimizerOf(config, plan.totalSteps);
  const evaluates = evaluation.length > 0 && config.eval_strategy !== 'no';
  const start = run.resumed?.method as SftState | undefined;
  let { cursor, tokens, window, evaluationDue }: SftState = start ?? {
    cursor: { epoch: 0, step: 0 },
    tokens: 0,
    window: emptyWindow,
    evaluationDue: evaluates,
  };
  let step = run.resumed?.step ?? 0;
  let epoch = run.resumed?.epoch ?? 0;
  const progress = (): TrainingProgress => ({ step, epoch, method: { cursor, tokens, window, evaluationDue } });

  /** Evaluates if that is due; false when the run was asked to stop meanwhile. */
  const evaluate = async (): Promise<boolean> => {
    if (!evaluationDue) return true;
    const result = await evaluateLoss(engine, {
      examples: evaluation,
      batchSize: config.eval_batch_size,
      sequenceLen: config.sequence_len,
      packing: config.eval_sample_packing,
      console,
      stop,
    });
    if (result === null) return false;
    evaluationDue = false;
    const { loss, perplexity, seconds } = result;
    metrics.log(step, { eval_loss: loss, eval_perplexity: perplexity, eval_seconds: seconds, epoch });
    console.log(`step ${step}: eval loss ${formatNumber(loss)}, perplexity ${formatNumber(perplexity)}`);
    return true;
  };

  if (!(await evaluate())) return { progress: progress(), finished: false };
  const bar = console.progress({ label: 'train', total: plan.totalSteps, unit: 'steps', initial: step });
  const speed = { tokens: 0, seconds: 0 };
  try {
    for (const planned of plan.steps(cursor)) {
      if (stop.aborted) return { progress: progress(), finished: false };
      const started = performance.now();
      const batches = planned.microBatches.map((indices) => indices.map((index) => train[index]!));
      const done = await trainStep(run, planned, batches, optimizer(step));
      if (done === null) return { progress: progress(), finished: false };
      const { loss, trainedTokens, gradNorm, learningRate } = done;
      step = planned.globalStep + 1;
      epoch = planned.epochsDone;
      cursor = planned.next;
      const stepTokens = batches.flat().reduce((sum, example) => sum + example.tokens.length, 0);
      tokens += stepTokens;
      window = { loss: window.loss + loss * trainedTokens, trainedTokens: window.trainedTokens + trainedTokens };
      speed.tokens += stepTokens;
      speed.seconds += (performance.now() - started) / 1000;
      if (step === 1) noteFirstLoss(run, loss);

      const mean = window.loss / window.trainedTokens;
      const rate = speed.tokens / speed.seconds;
      bar.update(
        step,
        `loss ${formatNumber(mean)}  lr ${formatNumber(learningRate)}  ${formatCount(Math.round(rate))} tok/s`,
      );
      if (step % steps.loggingSteps === 0 || step === plan.totalSteps) {
        metrics.log(step, {
          loss: mean,
          grad_norm: gradNorm,
          learning_rate: learningRate,
          epoch,
          num_tokens: tokens,
          tokens_per_second: rate,
          memory_bytes: process.memoryUsage.rss(),
        });
        window = emptyWindow;
        speed.tokens = 0;
        speed.seconds = 0;
      }
      evaluationDue = evaluates && steps.isEvalStep(step);
      if (!(await evaluate())) return { progress: progress(), finished: false };
      if (steps.isSaveStep(step)) await run.saveCheckpoint(progress());
    }
  } finally {
    bar.stop();
  }
  return { progress: progress(), finished: true };
}

/** One optimizer step. null: the run was asked to stop before the update; the weights are as they were. */
async function trainStep(
  run: Run,
  planned: PlannedStep,
  batches: readonly (readonly Example[])[],
  params: ReturnType<ReturnType<typeof optimizerOf>>,
) {
  const trainedTokens = countTrained(batches.flat());
  const step = planned.globalStep + 1;
  let loss = 0;
  for (const examples of batches) {
    const result = await run.engine.forwardBackward(sftBatch(examples, trainedTokens), crossEntropy);
    loss += result.loss;
    if (!Number.isFinite(result.loss)) throw notFinite(run, step, `loss is ${result.loss}`, examples, result.logprobs);
    if (run.stop.aborted) return null;
  }
  const { gradNorm } = await run.engine.optimStep(params);
  if (!Number.isFinite(gradNorm)) throw notFinite(run, step, `gradient norm is ${gradNorm}`, batches.flat());
  return { loss, trainedTokens, gradNorm, learningRate: params.learningRate };
}

function notFinite(
  run: Run,
  step: number,
  reason: string,
  examples: readonly Example[],
  logprobs?: readonly Float32Array[],
): Error {
  const sequences = examples.map(
    ({ origin, tokens, trained }, index): BadSequence => ({
      origin: formatOrigin(origin),
      tokens,
      trained,
      ...(logprobs && { logprobs: logprobs[index]! }),
    }),
  );
  const path = writeBadBatch(run.outputDir, step, reason, run.tokenizer, sequences);
  const rows = sequences.slice(0, 5).map((sequence) => sequence.origin);
  const more = sequences.length > 5 ? ` and ${sequences.length - 5} more` : '';
  return new UserError(
    `Step ${step}: the ${reason}. The run has stopped; no update was made with it. Rows of the batch: ${rows.join(', ')}${more}; ` +
      `tokens and texts are in ${path}. ${step === 1 ? firstStepHint : 'A lower learning_rate, warmup_steps or max_grad_norm: 1 usually helps.'}`,
  );
}

/** An untrained model that knows nothing has a loss of ln(vocabulary); far more means that something does not fit. */
function noteFirstLoss(run: Run, loss: number): void {
  const uniform = Math.log(run.engine.config.vocabSize);
  if (loss <= uniform + 1) return;
  run.console.warn(
    `the first loss is ${formatNumber(loss)}, and guessing evenly among the ${formatCount(run.engine.config.vocabSize)} tokens gives ${formatNumber(uniform)}. ` +
      'Does the tokenizer belong to this model?',
  );
}
