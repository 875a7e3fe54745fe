import { parentPort } from 'node:worker_threads';
import {
  type AdamwTask,
  type FromAdamwWorker,
  squaresOf,
  type ToAdamwWorker,
  transfers,
  updateJobs,
} from './adamw-pool.js';

const port = parentPort!;
const answer = (message: FromAdamwWorker, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

let task: AdamwTask | null = null;
port.on('message', (message: ToAdamwWorker) => {
  if ('task' in message) {
    task = message.task;
    answer({ squares: squaresOf(task.jobs) });
    return;
  }
  const { jobs } = task!;
  if (message.scale !== null) updateJobs(task!, message.scale);
  task = null;
  answer({ jobs }, transfers(jobs));
});
