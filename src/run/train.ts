import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Decision, type LoadedConfig, resolvedYaml } from '../config/index.js';
import { createLocalEngine, type LocalEngine } from '../engine/index.js';
import {
  type Console,
  createConsole,
  formatCount,
  formatDuration,
  formatPlan,
  formatSummary,
  type MetricChange,
  metricChanges,
  openMetrics,
  readMetrics,
  writeModelCard,
} from '../observe/index.js';
import { removeStaleCheckpoints, writeCheckpoint } from './checkpoint.js';
import { openDebugLog } from './debug-log.js';
import { type TextFiles, writeTextFiles } from './files.js';
import { fingerprintOf } from './fingerprint.js';
import { lockDirectory } from './lock.js';
import type { Outcome, PreparedMethod, Run } from './method.js';
import { methodOf } from './methods.js';
import { engineOptions, type ModelSource, modelDigest, openSource } from './open-model.js';
import { answerEnds, companionFiles, tokenizerDigest } from './open-tokenizer.js';
import { decidedBySteps } from './optimizer.js';
import { claimOutputDirectory } from './output-directory.js';
import { checkResume, findResumePoint, type ResumePoint } from './resume.js';
import { TRAINER_STATE_SCHEMA, type TrainerState, type TrainingProgress } from './trainer-state.js';
import { versions } from './versions.js';
import { explainFullDisk, explainWriteError } from './write-errors.js';

export interface TrainOptions {
  /** Asks the run to save a checkpoint at the next safe point and to end. */
  readonly signal?: AbortSignal;
  /** Default: a console on stderr. */
  readonly console?: Console;
  /** Show the first examples token by token. */
  readonly debug?: boolean;
}

export interface TrainResult {
  /** `stopped`: the signal fired before the end. */
  readonly status: 'finished' | 'stopped';
  readonly outputDir: string;
  /** Optimizer steps done. */
  readonly step: number;
  readonly totalSteps: number;
  /** Of a stopped run: where it can go on, or null when it had not begun to train. */
  readonly checkpoint: string | null;
  /** First and last value of the method's main metrics. */
  readonly metrics: readonly MetricChange[];
}

/**
 * Runs the training that a config describes, from the data to the saved model in `output_dir`.
 * Rejects with an error made for its reader on wrong data, a config that does not fit the model or the checkpoint, a
 * loss that is not finite, or a disk that is full; what was saved before stays.
 */
export async function train(loaded: LoadedConfig, options: TrainOptions = {}): Promise<TrainResult> {
  const console = options.console ?? createConsole();
  const stop = options.signal ?? new AbortController().signal;
  const { config } = loaded;
  const point = await findResumePoint(config);
  if (point === null || !point.own) await claimOutputDirectory(config.output_dir);
  const unlock = await lockDirectory(config.output_dir).catch((error: unknown) => {
    throw explainWriteError(error, 'output_dir', config.output_dir);
  });
  try {
    await removeStaleCheckpoints(config.output_dir);
    return await trainInDirectory(loaded, point, console, stop, options.debug ?? false);
  } catch (error) {
    throw explainFullDisk(error, config.output_dir);
  } finally {
    await unlock();
  }
}

async function trainInDirectory(
  loaded: LoadedConfig,
  point: ResumePoint | null,
  console: Console,
  stop: AbortSignal,
  debug: boolean,
): Promise<TrainResult> {
  const { config } = loaded;
  const log = openLog(config.output_dir, console, point?.own === true);
  try {
    if (point?.own) checkMetrics(join(config.output_dir, 'metrics.jsonl'), log.console);
    const source = await openSource(config, log.console);
    const method = await methodOf(config)({
      config,
      tokenizer: source.tokenizer,
      console: log.console,
      debug,
      signal: stop,
    });
    return await runMethod(loaded, source, method, point, log.console, stop).finally(() => method.dispose());
  } finally {
    log.close();
  }
}

function openLog(outputDir: string, console: Console, append: boolean) {
  try {
    return openDebugLog(outputDir, console, append);
  } catch (error) {
    throw explainWriteError(error, 'debug.log', outputDir);
  }
}

/** Before the data is read, as that may take minutes. */
function checkMetrics(path: string, console: Console): void {
  if (!existsSync(path)) return;
  readMetrics(path, (line) => console.warn(`${path}:${line} was cut short when the run ended; the line is left out`));
}

async function runMethod(
  loaded: LoadedConfig,
  source: ModelSource,
  method: PreparedMethod,
  point: ResumePoint | null,
  console: Console,
  stop: AbortSignal,
): Promise<TrainResult> {
  const { config } = loaded;
  const outputDir = config.output_dir;
  const digests = {
    model: await modelDigest(source),
    tokenizer: tokenizerDigest(source.tokenizer),
    data: method.dataDigest,
  };
  const fingerprint = fingerprintOf(config, digests);
  const resumeWarnings = point === null ? [] : checkResume(point, fingerprint, method.totalSteps);
  const files = companionFiles(
    source.tokenizer,
    answerEnds(source.tokenizer, config.eot_tokens),
    source.generationConfig,
  );
  await writeTextFiles(outputDir, new Map([['config.yaml', resolvedYaml(config)]]));

  const engine = await createLocalEngine(engineOptions(config, source));
  const metrics = openMetrics(outputDir, {
    tensorboard: config.use_tensorboard,
    ...(point?.own && { resumeStep: point.state.progress.step }),
  });
  try {
    if (point !== null) await engine.loadState(point.path);
    console.log(describePlan(loaded, source, method, engine, point, resumeWarnings));
    metrics.text(0, 'config', `\`\`\`yaml\n${loaded.source}\n\`\`\``);

    const stateOf = (progress: TrainingProgress): TrainerState => ({
      schema: TRAINER_STATE_SCHEMA,
      progress,
      totalSteps: method.totalSteps,
      fingerprint,
      versions: versions(),
    });
    let saved = { step: point?.state.progress.step ?? 0, path: point?.path ?? null };
    const saveCheckpoint = async (progress: TrainingProgress): Promise<void> => {
      const limit = config.save_total_limit;
      const path = await writeCheckpoint({ outputDir, engine, files, state: stateOf(progress), limit });
      saved = { step: progress.step, path };
    };
    const run: Run = {
      config,
      outputDir,
      tokenizer: source.tokenizer,
      engine,
      console,
      metrics,
      resumed: point?.state.progress ?? null,
      stop,
      openInitial: () => createLocalEngine({ ...engineOptions(config, source), train: 'none', adapter: null }),
      saveCheckpoint,
    };
    const started = performance.now();
    const outcome = await method.train(run);
    const { step } = outcome.progress;
    if (!outcome.finished && step > saved.step) await saveCheckpoint(outcome.progress);
    if (outcome.finished) await saveFinal(run, files);
    const changes = metricChanges(readMetrics(join(outputDir, 'metrics.jsonl')), method.headline);
    if (outcome.finished) {
      writeCard(loaded, method, outcome, engine, changes);
      console.log(describeResult(run, outcome, changes, (performance.now() - started) / 1000));
    } else {
      console.log(describeStop(step, saved.path));
    }
    return {
      status: outcome.finished ? 'finished' : 'stopped',
      outputDir,
      step,
      totalSteps: method.totalSteps,
      checkpoint: outcome.finished ? null : saved.path,
      metrics: changes,
    };
  } finally {
    metrics.close();
    await engine.dispose();
  }
}

async function saveFinal({ engine, outputDir }: Run, files: TextFiles): Promise<void> {
  try {
    await engine.exportModel(outputDir);
    await writeTextFiles(outputDir, files);
  } catch (error) {
    throw explainWriteError(error, 'the model', outputDir);
  }
}

function describePlan(
  loaded: LoadedConfig,
  source: ModelSource,
  method: PreparedMethod,
  engine: LocalEngine,
  point: ResumePoint | null,
  resumeWarnings: readonly string[],
): string {
  const { config } = loaded;
  const { trained, total } = engine.parameterCount;
  const from = config.base_model ?? `random weights (seed ${config.seed})`;
  return formatPlan({
    title: `${method.name} of ${from}`,
    facts: [
      ...(point === null ? [] : [['continues', `${point.path} (step ${point.state.progress.step})`] as const]),
      ...method.facts,
      [
        'parameters',
        `${formatCount(trained)} of ${formatCount(total)} trained (${((100 * trained) / total).toFixed(2)} %)`,
      ],
      ['engine', `${engine.capabilities().engine}, ${config.engine.device}, ${config.engine.threads} threads`],
      ['output', config.output_dir],
    ],
    decisions: lastOfEachKey([
      ...loaded.decisions,
      ...source.decisions,
      ...decidedBySteps(config, method.totalSteps),
      ...method.decisions,
    ]),
    warnings: [...method.warnings, ...resumeWarnings],
  });
}

/** A decision that can only be taken late replaces what was said of it early. */
function lastOfEachKey(decisions: readonly Decision[]): Decision[] {
  return [...new Map(decisions.map((decision) => [decision.key, decision])).values()];
}

function writeCard(
  { config, source }: LoadedConfig,
  method: PreparedMethod,
  outcome: Outcome,
  engine: LocalEngine,
  metrics: readonly MetricChange[],
): void {
  writeModelCard(config.output_dir, {
    name: basename(config.output_dir),
    baseModel: config.base_model,
    method: method.name,
    adapter: config.adapter === 'lora',
    yaml: source,
    metrics,
    facts: [
      ['steps', formatCount(outcome.progress.step)],
      ['trained parameters', formatCount(engine.parameterCount.trained)],
      ...Object.entries(versions()),
    ],
  });
}

function describeResult(run: Run, { progress }: Outcome, metrics: readonly MetricChange[], seconds: number): string {
  const { config, outputDir } = run;
  return formatSummary({
    title: `done: ${formatCount(progress.step)} steps in ${formatDuration(seconds)}`,
    facts: [],
    metrics,
    outputs: [
      [config.adapter === 'lora' ? 'adapter' : 'model', outputDir],
      ['metrics', join(outputDir, 'metrics.jsonl')],
      ['model card', join(outputDir, 'README.md')],
    ],
  });
}

function describeStop(step: number, checkpoint: string | null): string {
  if (checkpoint === null) return 'stopped before the first step; nothing was trained yet';
  return `stopped at step ${step}; saved ${checkpoint}`;
}
