import type { Worker } from 'node:worker_threads';
import type { OptimStepParams } from '../types.js';
import { adamwUpdate, clipScale, type Moments, squaredNorm } from './adamw.js';
import { startWorker } from './start-worker.js';

/** One parameter to be updated in place. */
export interface AdamwJob {
  readonly name: string;
  readonly weights: Float32Array<ArrayBuffer>;
  readonly gradient: Float32Array<ArrayBuffer>;
  readonly moments: { readonly m: Float32Array<ArrayBuffer>; readonly v: Float32Array<ArrayBuffer> };
}

export interface AdamwTask {
  readonly jobs: readonly AdamwJob[];
  readonly params: OptimStepParams;
  /** The number of this step, from 1. */
  readonly step: number;
}

export interface AdamwResult {
  /** Their arrays may have been replaced by others over the same memory. */
  readonly jobs: readonly AdamwJob[];
  /** Norm of all gradients together, before clipping. Where it is not finite, nothing was updated. */
  readonly gradNorm: number;
}

/** Sums of squares of each job's gradient: each thread tells those of its jobs, as clipping needs them all. */
export const squaresOf = (jobs: readonly AdamwJob[]): number[] => jobs.map(({ gradient }) => squaredNorm(gradient));

export function updateJobs({ jobs, params, step }: AdamwTask, scale: number): void {
  for (const { weights, gradient, moments } of jobs) {
    adamwUpdate(weights, gradient, moments as Moments, params, step, scale);
  }
}

/** The memory of jobs that changes hands, there and back. */
export const transfers = (jobs: readonly AdamwJob[]): ArrayBuffer[] =>
  jobs.flatMap(({ weights, gradient, moments }) => [
    weights.buffer,
    gradient.buffer,
    moments.m.buffer,
    moments.v.buffer,
  ]);

/** What another thread is told: a task, then the factor of its gradients, null to leave everything as it is. */
export type ToAdamwWorker = { readonly task: AdamwTask } | { readonly scale: number | null };
/** What it answers: the sums of squares, then the jobs. */
export type FromAdamwWorker = { readonly squares: readonly number[] } | { readonly jobs: readonly AdamwJob[] };

export interface AdamwPool {
  run(task: AdamwTask): Promise<AdamwResult>;
  dispose(): Promise<void>;
}

/** Fewer elements are updated sooner than another thread is told of them. */
const worthAnotherThread = 2_000_000;

/**
 * AdamW on several threads. Each other thread is handed the memory of its parameters and hands it back; nothing is copied.
 */
export function createAdamwPool(threads: number): AdamwPool {
  let workers: Worker[] | null = null;
  const ask = (worker: Worker, message: ToAdamwWorker, transfer: ArrayBuffer[] = []): Promise<FromAdamwWorker> =>
    new Promise((resolve, reject) => {
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
      const ended = (code: number): void =>
        failed(new Error(`engine: an optimizer thread has ended (exit code ${code})`));
      worker.on('message', done);
      worker.on('error', failed);
      worker.on('exit', ended);
      worker.postMessage(message, transfer);
    });
  return {
    async run(task) {
      const elements = task.jobs.reduce((sum, { weights }) => sum + weights.length, 0);
      const helpers = threads < 2 || elements < worthAnotherThread ? 0 : threads - 1;
      if (helpers > 0) workers ??= Array.from({ length: helpers }, () => startWorker('adamw-worker'));
      const others = helpers > 0 ? workers! : [];
      const [own, ...shares] = share(task.jobs, 1 + helpers);
      const tasks = shares.map((jobs): AdamwTask => ({ ...task, jobs }));

      const asked = others.map((worker, i) => ask(worker, { task: tasks[i]! }, transfers(tasks[i]!.jobs)));
      const squares = [squaresOf(own!)];
      for (const answer of await Promise.all(asked)) squares.push([...(answer as { squares: number[] }).squares]);
      const gradNorm = Math.sqrt(sumInOrder(task.jobs, [own!, ...shares], squares));
      const scale = Number.isFinite(gradNorm) ? clipScale(gradNorm, task.params.maxGradNorm) : null;

      const updating = others.map((worker) => ask(worker, { scale }));
      if (scale !== null) updateJobs({ ...task, jobs: own! }, scale);
      const returned = await Promise.all(updating);
      return { gradNorm, jobs: [...own!, ...returned.flatMap((answer) => (answer as { jobs: AdamwJob[] }).jobs)] };
    },
    async dispose() {
      await Promise.all((workers ?? []).map((worker) => worker.terminate()));
      workers = null;
    },
  };
}

/** The sum in the order of the jobs, so that it does not depend on how they are shared out. */
function sumInOrder(
  jobs: readonly AdamwJob[],
  shares: readonly (readonly AdamwJob[])[],
  squares: readonly (readonly number[])[],
): number {
  const byName = new Map(shares.flatMap((share, i) => share.map(({ name }, k) => [name, squares[i]![k]!])));
  return jobs.reduce((sum, { name }) => sum + byName.get(name)!, 0);
}

/** Shares of about the same number of elements: the largest job left goes to the smallest share. */
function share(jobs: readonly AdamwJob[], count: number): AdamwJob[][] {
  const shares = Array.from({ length: count }, () => ({ jobs: [] as AdamwJob[], elements: 0 }));
  for (const job of [...jobs].sort((a, b) => b.weights.length - a.weights.length)) {
    const smallest = shares.reduce((a, b) => (b.elements < a.elements ? b : a));
    smallest.jobs.push(job);
    smallest.elements += job.weights.length;
  }
  return shares.map((each) => each.jobs);
}
