import { parentPort } from 'node:worker_threads';
import type { Batch, ForwardOptions, Loss, OptimStepParams, SampleRequest } from '../types.js';
import { type Compute, createCompute } from './compute.js';
import { abortSlots, type Verb, type WorkerReply, type WorkerRequest } from './protocol.js';

const port = parentPort!;
let compute: Compute | null = null;
let abortFlags: Int32Array = new Int32Array();

const aborted = (id: number): boolean => Atomics.load(abortFlags, id % abortSlots) === 1;
const send = (reply: WorkerReply): void => port.postMessage(reply);

const verbs: Readonly<Record<Verb, (compute: Compute, id: number, ...args: never[]) => unknown>> = {
  forward: (it, _, batch: Batch, options: ForwardOptions) => it.forward(batch, options),
  forwardBackward: (it, _, batch: Batch, loss: Loss) => it.forwardBackward(batch, loss),
  optimStep: (it, _, params: OptimStepParams) => it.optimStep(params),
  sample: (it, id, requests: readonly SampleRequest[]) =>
    it.sample(requests, {
      aborted: () => aborted(id),
      onResult: (index, result) => send({ id, kind: 'sampled', index, result }),
      onStep: (sampledTokens, newest) => send({ id, kind: 'step', sampledTokens, newest }),
    }),
  publish: (it, _, version: number) => it.publish(version),
  saveState: (it, _, directory: string) => it.saveState(directory),
  loadState: (it, _, directory: string) => it.loadState(directory),
  exportModel: (it, _, directory: string) => it.exportModel(directory),
  dispose: (it) => it.dispose(),
};

async function answer(request: WorkerRequest): Promise<unknown> {
  if (request.method === 'open') {
    abortFlags = request.abortFlags;
    compute = await createCompute(request.options);
    return { config: compute.config, parameterCount: compute.parameterCount };
  }
  return verbs[request.method](compute!, request.id, ...(request.args as never[]));
}

// One call at a time, in the order they came: a training step and a sampling run would only share the same cores.
let queue: Promise<void> = Promise.resolve();
port.on('message', (request: WorkerRequest) => {
  queue = queue.then(async () => {
    // An aborted `sample` still answers: with what it has, which is nothing yet.
    if (request.method !== 'open' && request.method !== 'sample' && aborted(request.id)) {
      send({ id: request.id, kind: 'aborted' });
      return;
    }
    try {
      send({ id: request.id, kind: 'result', value: await answer(request) });
    } catch (error) {
      send({ id: request.id, kind: 'error', error: error instanceof Error ? error : new Error(String(error)) });
    }
  });
});
