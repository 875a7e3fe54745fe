import { parentPort } from 'node:worker_threads';
import { type AdamwTask, runAdamwTask, transfers } from './adamw-pool.js';

parentPort!.on('message', (task: AdamwTask) => {
  runAdamwTask(task);
  parentPort!.postMessage(task.jobs, transfers(task.jobs));
});
