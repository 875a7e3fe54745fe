import type { SampleResult } from '../types.js';
import type { LocalEngineOptions } from './compute.js';

/** Messages between the control plane and the compute plane's worker thread. */
export type WorkerRequest =
  | {
      readonly id: number;
      readonly method: 'open';
      readonly options: LocalEngineOptions;
      readonly abortFlags: Int32Array;
    }
  | { readonly id: number; readonly method: Verb; readonly args: readonly unknown[] };

export type Verb =
  | 'forward'
  | 'forwardBackward'
  | 'optimStep'
  | 'sample'
  | 'publish'
  | 'saveState'
  | 'loadState'
  | 'exportModel'
  | 'dispose';

export type WorkerReply =
  | { readonly id: number; readonly kind: 'result'; readonly value: unknown }
  | { readonly id: number; readonly kind: 'error'; readonly error: Error }
  /** The call was aborted before it started. */
  | { readonly id: number; readonly kind: 'aborted' }
  | { readonly id: number; readonly kind: 'sampled'; readonly index: number; readonly result: SampleResult }
  | {
      readonly id: number;
      readonly kind: 'step';
      readonly sampledTokens: number;
      readonly newest: readonly { readonly index: number; readonly token: number }[];
    };

/** Calls that can be aborted write 1 into their slot of a shared array; the worker looks before it starts a call and between decoding steps. */
export const abortSlots = 1024;
