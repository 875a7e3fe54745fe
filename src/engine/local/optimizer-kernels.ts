import { wasmBase64 } from './kernels/optimizer.wasm.js';
import type { TrainedParameter } from './trained-parameters.js';

// JavaScript's own loops are scalar and in float64.

/** Functions over `count` floats at byte offsets of one memory; see kernels/optimizer.wat. */
interface Kernels {
  update(weights: number, gradient: number, m: number, v: number, count: number, ...factors: readonly number[]): void;
  squares(x: number, count: number): number;
  add(sum: number, x: number, count: number): void;
}

const module = new WebAssembly.Module(Buffer.from(wasmBase64, 'base64'));
const made = new WeakMap<WebAssembly.Memory, Kernels>();

function kernelsOf(memory: WebAssembly.Memory): Kernels {
  let kernels = made.get(memory);
  if (!kernels) {
    kernels = new WebAssembly.Instance(module, { engine: { memory } }).exports as unknown as Kernels;
    made.set(memory, kernels);
  }
  return kernels;
}

/** Floats of one array that are copied at a time, so that copies stay in the processor's cache. */
const block = 16_384;
const mostArrays = 4;
const scratch = new WebAssembly.Memory({ initial: mostArrays, maximum: mostArrays, shared: true });

/** The kernels take four floats at a time. What lies behind the last one is there to be overwritten. */
const wholeVectors = (count: number): number => (count + 3) & ~3;

type Call = (kernels: Kernels, offsets: readonly number[], count: number) => void;

/** Calls a kernel on arrays of one length: where they lie if all lie in `memory`, otherwise block by block on copies. */
function onArrays(arrays: readonly Float32Array[], memory: WebAssembly.Memory | null, call: Call): void {
  const { length } = arrays[0]!;
  if (memory) {
    const offsets = arrays.map(({ byteOffset }) => byteOffset);
    call(kernelsOf(memory), offsets, wholeVectors(length));
    return;
  }
  const copies = arrays.map((_, i) => new Float32Array(scratch.buffer, 4 * block * i, block));
  const offsets = copies.map(({ byteOffset }) => byteOffset);
  for (let start = 0; start < length; start += block) {
    const parts = arrays.map((array) => array.subarray(start, start + block));
    const count = parts[0]!.length;
    copies.forEach((copy, i) => {
      copy.set(parts[i]!);
      copy.fill(0, count, wholeVectors(count));
    });
    call(kernelsOf(scratch), offsets, wholeVectors(count));
    copies.forEach((copy, i) => {
      parts[i]!.set(copy.subarray(0, count));
    });
  }
}

/** Sum of squares of the gradient, in float64. */
export function squaredNorm({ gradient, memory }: TrainedParameter): number {
  let sum = 0;
  onArrays([gradient], memory, (kernels, [x], count) => {
    sum += kernels.squares(x!, count);
  });
  return sum;
}

/** Adds the gradient of a further micro-batch to the sum. */
export function addFurther({ gradient, further, memory }: TrainedParameter): void {
  onArrays([gradient, further], memory, (kernels, [sum, x], count) => kernels.add(sum!, x!, count));
}

/** What `update` of kernels/optimizer.wat takes after its arrays. */
export function updateInPlace({ weights, gradient, m, v, memory }: TrainedParameter, factors: readonly number[]): void {
  onArrays([weights, gradient, m, v], memory, (kernels, [atWeights, atGradient, atM, atV], count) =>
    kernels.update(atWeights!, atGradient!, atM!, atV!, count, ...factors),
  );
}
