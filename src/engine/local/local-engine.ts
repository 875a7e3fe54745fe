import type { ModelConfig } from '../../models/index.js';
import type {
  Capabilities,
  Engine,
  ForwardBackwardResult,
  ForwardResult,
  OptimStepResult,
  SampleOptions,
  SampleResult,
} from '../types.js';
import type { LocalEngineOptions } from './compute.js';
import { abortSlots, type Verb, type WorkerReply, type WorkerRequest } from './protocol.js';
import { startWorker } from './start-worker.js';

export interface LocalEngine extends Engine {
  readonly config: ModelConfig;
  /** In elements. */
  readonly parameterCount: { readonly trained: number; readonly total: number };
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
  readonly signal: AbortSignal | undefined;
  readonly sample: SampleOptions;
}

/**
 * The engine that trains and samples on this machine with ONNX Runtime. It lives in a worker thread, as a session blocks
 * the thread it runs in; the caller's thread stays free. Rejects when the model cannot be loaded.
 */
export async function createLocalEngine(options: LocalEngineOptions): Promise<LocalEngine> {
  const worker = startWorker('worker');
  const abortFlags = new Int32Array(new SharedArrayBuffer(abortSlots * Int32Array.BYTES_PER_ELEMENT));
  const pending = new Map<number, Pending>();
  let nextId = 0;
  let closed: Error | null = null;

  const close = (error: Error): void => {
    closed ??= error;
    for (const { reject } of pending.values()) reject(closed);
    pending.clear();
  };
  worker.on('error', close);
  worker.on('exit', (code) => close(new Error(`engine: its worker thread has ended (exit code ${code})`)));
  worker.on('message', (reply: WorkerReply) => {
    const call = pending.get(reply.id);
    if (!call) return;
    if (reply.kind === 'sampled') call.sample.onResult?.(reply.index, reply.result);
    else if (reply.kind === 'step') {
      call.sample.onProgress?.(reply.sampledTokens);
      for (const { index, token } of reply.newest) call.sample.onToken?.(index, token);
    } else {
      pending.delete(reply.id);
      if (pending.size === 0) worker.unref();
      if (reply.kind === 'error') call.reject(reply.error);
      else if (reply.kind === 'aborted') call.reject(call.signal?.reason);
      else call.resolve(reply.value);
    }
  });

  const post = <Result>(
    message: (id: number) => WorkerRequest,
    signal?: AbortSignal,
    sample: SampleOptions = {},
  ): Promise<Result> => {
    if (closed) return Promise.reject(closed);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = nextId++;
    Atomics.store(abortFlags, id % abortSlots, 0);
    const abort = (): void => {
      Atomics.store(abortFlags, id % abortSlots, 1);
    };
    signal?.addEventListener('abort', abort, { once: true });
    return new Promise<Result>((resolve, reject) => {
      pending.set(id, { resolve: resolve as (value: unknown) => void, reject, signal, sample });
      worker.ref();
      worker.postMessage(message(id));
    }).finally(() => signal?.removeEventListener('abort', abort));
  };
  const call = <Result>(method: Verb, args: readonly unknown[], signal?: AbortSignal, sample?: SampleOptions) =>
    post<Result>((id) => ({ id, method, args }), signal, sample);

  const { config, parameterCount } = await post<Pick<LocalEngine, 'config' | 'parameterCount'>>((id) => ({
    id,
    method: 'open',
    options,
    abortFlags,
  })).catch(async (error: unknown) => {
    await worker.terminate();
    throw error;
  });

  const capabilities: Capabilities = Object.freeze({ engine: 'local', device: options.device, missing: {} });
  return {
    config,
    parameterCount,
    capabilities: () => capabilities,
    forward: (batch, { signal, ...rest } = {}) => call<ForwardResult>('forward', [batch, rest], signal),
    forwardBackward: (batch, loss, { signal } = {}) =>
      call<ForwardBackwardResult>('forwardBackward', [batch, loss], signal),
    optimStep: (params) => call<OptimStepResult>('optimStep', [params]),
    sample: (requests, sampleOptions = {}) =>
      call<readonly SampleResult[]>('sample', [requests], sampleOptions.signal, sampleOptions),
    publish: (version) => call<void>('publish', [version]),
    saveState: (directory) => call<void>('saveState', [directory]),
    loadState: (directory) => call<void>('loadState', [directory]),
    exportModel: (directory) => call<void>('exportModel', [directory]),
    async dispose() {
      if (closed) return;
      const released = call<void>('dispose', []);
      closed = new Error('engine: it has been disposed');
      await released;
      await worker.terminate();
    },
  };
}
