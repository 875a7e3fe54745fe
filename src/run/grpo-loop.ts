import { join } from 'node:path';
import { cadence } from '../config/index.js';
import { formatOrigin } from '../data/index.js';
import { formatCount, formatNumber } from '../observe/index.js';
import {
  addToWindow,
  type GradientResult,
  type GrpoContext,
  type GrpoCursor,
  type GrpoPlan,
  grpoIteration,
  type Metrics,
  type MetricWindow,
  type PlannedUpdate,
  planGrpo,
  type RewardScorer,
  windowMetrics,
} from '../rl/index.js';
import { type Trajectory, writeTrajectories } from '../rollout/index.js';
import { type OpenEnvironments, openEnvironments } from './environments.js';
import { digest } from './files.js';
import { evaluateHeldOut } from './grpo-evaluate.js';
import {
  createIdleWatch,
  evaluationMetrics,
  formatAccuracy,
  formatCompletions,
  notFinite,
  progressNote,
  reportFailures,
} from './grpo-report.js';
import {
  lossSettings,
  openReference,
  openRewards,
  type Prompts,
  preparedPrompt,
  readGrpoPrompts,
  samplingOf,
  trlOf,
} from './grpo-setup.js';
import type { Method, MethodInputs, Outcome, PreparedMethod, Run } from './method.js';
import { optimizerOf } from './optimizer.js';
import type { TrainingProgress } from './trainer-state.js';

/** What a checkpoint of this loop holds beside the engine's state. All draws follow from the seed and the step. */
interface GrpoState {
  readonly cursor: GrpoCursor;
  /** Tokens of prompts and answers so far. */
  readonly tokens: number;
  readonly window: MetricWindow;
  /** The evaluation that was due at this step has not been finished. */
  readonly evaluationDue: boolean;
}

/** Group-relative policy optimisation with verifiable rewards. */
export const grpo: Method = async (inputs: MethodInputs): Promise<PreparedMethod> => {
  const environments = await openEnvironments(inputs.config, inputs.signal);
  try {
    return await prepare(inputs, environments);
  } catch (error) {
    await environments?.dispose();
    throw error;
  }
};

async function prepare(inputs: MethodInputs, environments: OpenEnvironments | null): Promise<PreparedMethod> {
  const { config, console } = inputs;
  const trl = trlOf(config);
  const prompts = await readGrpoPrompts(inputs, environments);
  const plan = planGrpo({
    prompts: prompts.train.length,
    seed: config.seed,
    numGenerations: trl.num_generations,
    generationBatchSize: trl.generation_batch_size,
    batchSize: config.batch_size,
    numIterations: trl.num_iterations,
    numEpochs: config.num_epochs,
    maxSteps: config.max_steps,
  });
  const { scorer, close } = await openRewards(inputs, prompts.train[0]!, environments);
  if (inputs.debug) console.log(prompts.train[0]!.promptText);
  const passes = trl.num_iterations > 1 ? `, ${trl.num_iterations} times over each` : '';
  return {
    name: 'grpo',
    totalSteps: plan.totalSteps,
    facts: [
      [
        'steps',
        `${formatCount(plan.totalSteps)} (${formatNumber(plan.totalSteps / plan.stepsPerEpoch)} epochs of ${formatCount(plan.stepsPerEpoch)})`,
      ],
      ['batch', `${config.batch_size} answers a step, ${trl.num_generations} to each prompt${passes}`],
      [
        'sampling',
        `${trl.generation_batch_size} answers at once of at most ${trl.max_completion_length} tokens, temperature ${trl.temperature}`,
      ],
      [
        'rewards',
        scorer.rewards.map(({ source, weight }) => (weight === 1 ? source : `${weight} × ${source}`)).join(', '),
      ],
      [
        'prompts',
        `${formatCount(prompts.train.length)} to train on, ${formatCount(prompts.held.length)} to evaluate on`,
      ],
      ...(environments?.facts ?? []),
    ],
    decisions: [],
    warnings: [
      ...(prompts.held.length > 0 && config.eval_strategy === 'no'
        ? ['eval_strategy is no: held-out prompts are not used']
        : []),
      ...(environments?.warnings ?? []),
    ],
    headline: ['reward', 'eval_accuracy', 'eval_reward'],
    dataDigest: digest([
      ...prompts.train.flatMap(({ promptText, columns }) => [promptText, JSON.stringify(columns)]),
      ...(environments === null ? [] : [environments.digest]),
    ]),
    train: async (run) => {
      await environments?.record();
      return trainGrpo(run, prompts, scorer, plan);
    },
    dispose: async () => {
      await close();
      await environments?.dispose();
    },
  };
}

async function trainGrpo(run: Run, prompts: Prompts, scorer: RewardScorer, plan: GrpoPlan): Promise<Outcome> {
  const { config, console, engine, metrics, stop } = run;
  const trl = trlOf(config);
  const steps = cadence(config, plan);
  const train = prompts.train.map(preparedPrompt);
  const held = prompts.held.map(preparedPrompt);
  const origins = new Map(prompts.train.map((prompt, i) => [train[i]!.id, formatOrigin(prompt.origin)]));
  const evaluates = held.length > 0 && config.eval_strategy !== 'no';
  const sampling = samplingOf(config, run.tokenizer);

  const start = run.resumed?.method as GrpoState | undefined;
  let { cursor, tokens, window, evaluationDue }: GrpoState = start ?? {
    cursor: { epoch: 0, generation: 0 },
    tokens: 0,
    window: {},
    evaluationDue: evaluates,
  };
  let step = run.resumed?.step ?? 0;
  let epoch = run.resumed?.epoch ?? 0;
  const progress = (): TrainingProgress => ({ step, epoch, method: { cursor, tokens, window, evaluationDue } });

  const evaluate = async (): Promise<void> => {
    await engine.publish(step);
    const result = await evaluateHeldOut({
      config,
      tokenizer: run.tokenizer,
      console,
      signal: stop,
      engine,
      prompts: held,
      scorer,
      step,
    });
    await writeTrajectories(join(run.outputDir, 'eval'), step, result.trajectories);
    metrics.log(step, { ...evaluationMetrics(result), epoch });
    console.log(`step ${step}: ${formatAccuracy(result.accuracy)}`);
    evaluationDue = false;
  };

  const reference = await openReference(run);
  const context: GrpoContext = {
    engine,
    reference: reference?.forward ?? null,
    tokenizer: run.tokenizer,
    scorer,
    settings: lossSettings(config),
    numGenerations: trl.num_generations,
    sampling,
    scaleRewards: trl.scale_rewards,
    seed: config.seed,
    optimizer: optimizerOf(config, plan.totalSteps),
  };

  const bar = console.progress({ label: 'train', total: plan.totalSteps, unit: 'steps', initial: step });
  let checked = false;
  const idle = createIdleWatch(console);
  let note = '';
  const show = (phase: string) => bar.update(step, [note, phase].filter((part) => part !== '').join('  '));

  /** After an optimizer step: what is due at it, except the checkpoint, which waits for the end of the iteration. */
  const afterUpdate = async (
    planned: PlannedUpdate,
    values: Metrics,
    sampled: readonly (readonly Trajectory[])[],
  ): Promise<void> => {
    epoch = planned.epochsDone;
    window = addToWindow(window, { ...values, num_tokens: tokens, epoch });
    if (step % steps.loggingSteps === 0 || step === plan.totalSteps) {
      const line = windowMetrics(window);
      metrics.log(step, { ...line, memory_bytes: process.memoryUsage.rss() });
      window = {};
      if (trl.log_completions) {
        const text = formatCompletions(sampled.flat(), trl.num_completions_to_print);
        console.log(text);
        metrics.text(step, 'completions', text);
      }
    }
    evaluationDue ||= evaluates && steps.isEvalStep(step);
  };

  try {
    if (evaluationDue) await evaluate();
    for (const generation of plan.generations(cursor)) {
      if (stop.aborted) return { progress: progress(), finished: false };
      let sampled: readonly (readonly Trajectory[])[] = [];
      let gradient: GradientResult | null = null;
      let saveDue = false;
      await grpoIteration(
        context,
        train,
        generation,
        {
          ...(!checked && {
            onAgreement: ({ mean, max, tokens: compared }) => {
              checked = true;
              console.log(
                `sampler and trainer agree: log-probabilities of ${compared} tokens differ by ${mean.toExponential(1)} on average, ${max.toExponential(1)} at most`,
              );
            },
          }),
          onSampling: ({ finished, total, sampledTokens }) =>
            show(`sampling ${finished}/${total}, ${formatCount(sampledTokens)} tokens`),
          onScored: async ({ groups, failures }) => {
            sampled = groups;
            reportFailures(console, generation.firstStep + 1, failures);
            await writeTrajectories(run.outputDir, generation.firstStep + 1, groups.flat());
          },
          onPass: (done, total) => show(`training ${done}/${total}`),
          onGradient: async (result, at) => {
            gradient = result;
            if (result.loss !== null && !Number.isFinite(result.loss)) {
              throw notFinite(run, at, `loss is ${result.loss}`, result, origins);
            }
          },
          onUpdate: async ({ step: done, planned, metrics: values }) => {
            const norm = values.grad_norm ?? 0;
            if (!Number.isFinite(norm)) throw notFinite(run, done, `gradient norm is ${norm}`, gradient!, origins);
            step = done;
            idle.update(values);
            tokens += values.num_tokens ?? 0;
            note = progressNote(values, note);
            await afterUpdate(planned, values, sampled);
            saveDue ||= steps.isSaveStep(step);
            show('');
          },
        },
        stop,
      );
      cursor = generation.next;
      if (evaluationDue) await evaluate();
      if (saveDue) await run.saveCheckpoint(progress());
    }
  } catch (error) {
    if (stop.aborted && error === stop.reason) return { progress: progress(), finished: false };
    throw error;
  } finally {
    bar.stop();
    await reference?.dispose();
  }
  idle.end();
  return { progress: progress(), finished: true };
}
