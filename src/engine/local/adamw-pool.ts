import type { Worker } from 'node:worker_threads';
import type { OptimStepParams } from '../types.js';
import { adamwUpdate, type Moments } from './adamw.js';
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
  readonly step: number;
  readonly scale: number;
}

export function runAdamwTask({ jobs, params, step, scale }: AdamwTask): void {
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

export interface AdamwPool {
  /** Updates all jobs and returns them; their arrays may have been replaced by others over the same memory. */
  run(task: AdamwTask): Promise<readonly AdamwJob[]>;
  dispose(): Promise<void>;
}

/** Fewer elements are updated sooner than another thread is told of them. */
const worthAnotherThread = 2_000_000;

/**
 * AdamW on several threads. ONNX Runtime refuses memory that threads share, so each other thread is handed the memory of
 * its parameters and hands it back; nothing is copied.
 */
export function createAdamwPool(threads: number): AdamwPool {
  let workers: Worker[] | null = null;
  const run = (worker: Worker, task: AdamwTask): Promise<readonly AdamwJob[]> =>
    new Promise((resolve, reject) => {
      const settle = (): void => {
        worker.off('message', done);
        worker.off('error', failed);
      };
      const done = (jobs: readonly AdamwJob[]): void => {
        settle();
        resolve(jobs);
      };
      const failed = (error: Error): void => {
        settle();
        reject(error);
      };
      worker.on('message', done);
      worker.on('error', failed);
      worker.postMessage(task, transfers(task.jobs));
    });
  return {
    async run(task) {
      const elements = task.jobs.reduce((sum, { weights }) => sum + weights.length, 0);
      if (threads < 2 || elements < worthAnotherThread) {
        runAdamwTask(task);
        return task.jobs;
      }
      workers ??= Array.from({ length: threads - 1 }, () => startWorker('adamw-worker'));
      const [own, ...others] = share(task.jobs, threads);
      const running = workers.map((worker, i) => run(worker, { ...task, jobs: others[i]! }));
      runAdamwTask({ ...task, jobs: own! });
      return [...own!, ...(await Promise.all(running)).flat()];
    },
    async dispose() {
      await Promise.all((workers ?? []).map((worker) => worker.terminate()));
      workers = null;
    },
  };
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
