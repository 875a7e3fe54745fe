import type { RunInput } from './runtime.js';

/** A trained parameter with what its updates need: arrays of one length in memory that threads share. */
export interface TrainedParameter {
  readonly weights: Float32Array;
  /** Sum over the micro-batches of a step. */
  readonly gradient: Float32Array;
  /** The gradient of one more micro-batch, before it is added to the sum. Takes no room before it is written. */
  readonly further: Float32Array;
  /** First and second moments. */
  readonly m: Float32Array;
  readonly v: Float32Array;
  /** Where all lie, for kernels that work on them in place; null where they are too large for one memory. */
  readonly memory: WebAssembly.Memory | null;
}

export type TrainedParameters = ReadonlyMap<string, TrainedParameter>;

const arrays = 5;
const pageBytes = 65_536;
/** The most that 32-bit addresses reach. */
const largestMemory = 65_536 * pageBytes;
/** Arrays start at cache lines; a vector of the kernels ends within the array's own lines. */
const lineBytes = 64;

/**
 * Memory for parameters, filled with their weights; gradients and moments are zero. Parameters lie together in memories of
 * at most `limit` bytes.
 */
export function allocateParameters(
  weights: ReadonlyMap<string, RunInput>,
  limit: number = largestMemory,
): TrainedParameters {
  const parameters = new Map<string, TrainedParameter>();
  for (const group of groupsOf(weights, limit)) {
    const bytes = group.reduce((sum, name) => sum + bytesOf(weights, name), 0);
    const memory = bytes > limit ? null : sharedMemory(bytes);
    const buffer = memory?.buffer ?? new SharedArrayBuffer(bytes);
    let offset = 0;
    for (const name of group) {
      const { data } = weights.get(name)!;
      const array = (): Float32Array => {
        const taken = new Float32Array(buffer, offset, data.length);
        offset += arrayBytes(data.length);
        return taken;
      };
      const parameter = { weights: array(), gradient: array(), further: array(), m: array(), v: array(), memory };
      parameter.weights.set(data as Float32Array);
      parameters.set(name, parameter);
    }
  }
  return parameters;
}

/** Names in their order, as many together as one memory holds. */
function groupsOf(weights: ReadonlyMap<string, RunInput>, limit: number): string[][] {
  const groups: string[][] = [];
  let bytes = limit;
  for (const name of weights.keys()) {
    bytes += bytesOf(weights, name);
    if (bytes > limit) {
      groups.push([]);
      bytes = bytesOf(weights, name);
    }
    groups.at(-1)!.push(name);
  }
  return groups;
}

const bytesOf = (weights: ReadonlyMap<string, RunInput>, name: string): number =>
  arrays * arrayBytes(weights.get(name)!.data.length);

const arrayBytes = (elements: number): number =>
  Math.ceil((elements * Float32Array.BYTES_PER_ELEMENT) / lineBytes) * lineBytes;

function sharedMemory(bytes: number): WebAssembly.Memory {
  const pages = Math.ceil(bytes / pageBytes);
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}
