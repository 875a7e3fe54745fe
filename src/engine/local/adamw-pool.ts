import type { Worker } from 'node:worker_threads';
import type { OptimStepParams } from '../types.js';
import { adamwUpdate, clipScale } from './adamw.js';
import { squaredNorm } from './optimizer-kernels.js';
import { startWorker } from './start-worker.js';
import type { TrainedParameters } from './trained-parameters.js';

/** One step over the parameters that have a gradient. */
export interface AdamwTask {
  readonly names: readonly string[];
  readonly params: OptimStepParams;
  /** The number of this step, from 1. */
  readonly step: number;
}

/** What another thread is told: once its share of the parameters, then for each step the two halves of the work. */
export type ToAdamwWorker =
  | { readonly kind: 'parameters'; readonly parameters: TrainedParameters }
  | { readonly kind: 'squares'; readonly task: AdamwTask }
  | { readonly kind: 'update'; readonly task: AdamwTask; readonly scale: number };

/** What it answers to the two halves: the sums of squares by name, then nothing. */
export type FromAdamwWorker = Squares | null;

export type Squares = ReadonlyMap<string, number>;

export interface AdamwPool {
  /**
   * Updates parameters in place. Resolves with the norm of all gradients together, before clipping; where it is not
   * finite, nothing was updated.
   */
  run(task: AdamwTask): Promise<number>;
  dispose(): Promise<void>;
}

/** Sums of squares of the gradients: each thread tells those of its parameters, as clipping needs them all. */
export const squaresOf = (parameters: TrainedParameters, { names }: AdamwTask): Squares =>
  new Map(names.filter((name) => parameters.has(name)).map((name) => [name, squaredNorm(parameters.get(name)!)]));

export function updateParameters(parameters: TrainedParameters, task: AdamwTask, scale: number): void {
  for (const name of task.names) {
    const parameter = parameters.get(name);
    if (parameter) adamwUpdate(parameter, task.params, task.step, scale);
  }
}

/** Fewer elements are updated sooner than another thread is told of them. */
const worthAnotherThread = 2_000_000;

/** AdamW on several threads, each of which has a share of the parameters; nothing is copied. */
export function createAdamwPool(parameters: TrainedParameters, threads: number): AdamwPool {
  const elements = [...parameters.values()].reduce((sum, { weights }) => sum + weights.length, 0);
  const [own, ...shares] = share(parameters, elements < worthAnotherThread ? 1 : Math.max(1, threads));
  let workers: Worker[] | null = null;

  const start = (): Worker[] =>
    shares.map((share) => {
      const worker = startWorker('adamw-worker');
      worker.postMessage({ kind: 'parameters', parameters: share } satisfies ToAdamwWorker);
      return worker;
    });

  return {
    async run(task) {
      workers ??= start();
      const asked = workers.map((worker) => ask(worker, { kind: 'squares', task }));
      const squares = [squaresOf(own!, task), ...((await Promise.all(asked)) as Squares[])];
      const gradNorm = Math.sqrt(sumInOrder(task.names, squares));
      if (!Number.isFinite(gradNorm)) return gradNorm;

      const scale = clipScale(gradNorm, task.params.maxGradNorm);
      const updating = workers.map((worker) => ask(worker, { kind: 'update', task, scale }));
      updateParameters(own!, task, scale);
      await Promise.all(updating);
      return gradNorm;
    },
    async dispose() {
      await Promise.all((workers ?? []).map((worker) => worker.terminate()));
      workers = null;
    },
  };
}

/** The id of a thread that has ended. */
const gone = -1;

function ask(worker: Worker, message: ToAdamwWorker): Promise<FromAdamwWorker> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      worker.off('message', done);
      worker.off('error', failed);
      worker.off('exit', ended);
    };
    const done = (answer: FromAdamwWorker): void => {
      settle();
      resolve(answer);
    };
    const failed = (error: Error): void => {
      settle();
      reject(error);
    };
    const ended = (code?: number): void =>
      failed(new Error(`engine: an optimizer thread has ended${code === undefined ? '' : ` (exit code ${code})`}`));
    worker.on('message', done);
    worker.on('error', failed);
    worker.on('exit', ended);
    // One that ended before has nothing more to say.
    if (worker.threadId === gone) ended();
    else worker.postMessage(message);
  });
}

/** The sum in one order, so that it does not depend on how the parameters are shared out. */
function sumInOrder(names: readonly string[], squares: readonly Squares[]): number {
  const byName = new Map(squares.flatMap((each) => [...each]));
  return names.reduce((sum, name) => sum + byName.get(name)!, 0);
}

/** Shares of about the same number of elements: the largest parameter left goes to the smallest share. */
function share(parameters: TrainedParameters, count: number): TrainedParameters[] {
  const shares = Array.from({ length: count }, () => ({ parameters: new Map(), elements: 0 }));
  for (const [name, parameter] of [...parameters].sort(([, a], [, b]) => b.weights.length - a.weights.length)) {
    const smallest = shares.reduce((a, b) => (b.elements < a.elements ? b : a));
    smallest.parameters.set(name, parameter);
    smallest.elements += parameter.weights.length;
  }
  return shares.map((each) => each.parameters);
}
