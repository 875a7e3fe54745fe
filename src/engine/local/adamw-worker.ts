import { parentPort } from 'node:worker_threads';
import { type FromAdamwWorker, squaresOf, type ToAdamwWorker, updateParameters } from './adamw-pool.js';
import type { TrainedParameters } from './trained-parameters.js';

const port = parentPort!;
const answer = (message: FromAdamwWorker): void => port.postMessage(message);

let parameters: TrainedParameters = new Map();
port.on('message', (message: ToAdamwWorker) => {
  switch (message.kind) {
    case 'parameters':
      parameters = message.parameters;
      return;
    case 'squares':
      answer(squaresOf(parameters, message.task));
      return;
    case 'update':
      updateParameters(parameters, message.task, message.scale);
      answer(null);
  }
});
