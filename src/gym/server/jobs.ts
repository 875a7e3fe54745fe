import { randomUUID } from 'node:crypto';
import { createLimiter } from '../limiter.js';
import { problem } from './problem.js';

export type JobStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface Job {
  readonly id: string;
  readonly status: JobStatus;
  readonly created_at: string;
  readonly updated_at: string;
  readonly result: unknown;
  readonly error: string | null;
  /** Answers, and how many of them are judged. */
  readonly total: number;
  readonly completed_count: number;
}

export type Work = (signal: AbortSignal, onDone: () => void) => Promise<unknown>;

export interface Jobs {
  /** @throws a 429 when too many are unfinished */
  start(total: number, work: Work): Job;
  get(id: string): Job;
  /** Stops the work. @throws a 404, or a 409 when it has ended */
  cancel(id: string): Job;
  /** Cancels what is unfinished, and waits for it. */
  dispose(): Promise<void>;
}

export interface JobBounds {
  /** Jobs worked on at a time; the others wait. */
  readonly running: number;
  readonly unfinished: number;
  /** Jobs that have ended and can still be asked for; the oldest go first. */
  readonly kept: number;
}

/** Jobs are in memory: they end with the server. */
export function openJobs({ running, unfinished, kept }: JobBounds): Jobs {
  interface Entry {
    job: Job;
    readonly controller: AbortController;
    ended: Promise<void>;
  }
  const entries = new Map<string, Entry>();
  const ended: string[] = [];
  let open = 0;
  const limited = createLimiter(running);

  function change(id: string, part: Partial<Job>): void {
    const entry = entries.get(id);
    if (entry === undefined || !isOpen(entry.job)) return;
    entry.job = { ...entry.job, ...part, updated_at: new Date().toISOString() };
    if (isOpen(entry.job)) return;
    open--;
    ended.push(id);
    if (ended.length > kept) entries.delete(ended.shift()!);
  }

  function find(id: string): Entry {
    const entry = entries.get(id);
    if (entry === undefined) throw problem(404, `there is no job ${id}, or it ended long ago`);
    return entry;
  }

  return {
    start(total, work) {
      if (open >= unfinished) throw problem(429, `${unfinished} jobs are unfinished; ask again when some have ended`);
      const id = randomUUID();
      const now = new Date().toISOString();
      const controller = new AbortController();
      const { signal } = controller;
      const job: Job = {
        id,
        status: 'queued',
        created_at: now,
        updated_at: now,
        result: null,
        error: null,
        total,
        completed_count: 0,
      };
      const entry: Entry = { job, controller, ended: Promise.resolve() };
      entries.set(id, entry);
      open++;
      entry.ended = limited(async () => {
        if (signal.aborted) return;
        change(id, { status: 'running' });
        try {
          const result = await work(signal, () => change(id, { completed_count: entry.job.completed_count + 1 }));
          change(id, { status: 'completed', result });
        } catch (error) {
          change(id, { status: 'failed', error: error instanceof Error ? error.message : String(error) });
        }
      });
      return entry.job;
    },
    get: (id) => find(id).job,
    cancel(id) {
      const { job, controller } = find(id);
      if (!isOpen(job)) throw problem(409, `the job is ${job.status} already`);
      change(id, { status: 'cancelled' });
      controller.abort();
      return find(id).job;
    },
    async dispose() {
      const all = [...entries.values()];
      for (const { job, controller } of all) {
        if (!isOpen(job)) continue;
        change(job.id, { status: 'cancelled' });
        controller.abort();
      }
      await Promise.all(all.map(({ ended: end }) => end));
    },
  };
}

function isOpen({ status }: Job): boolean {
  return status === 'queued' || status === 'running';
}
