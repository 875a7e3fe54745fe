import type { CompiledGraph } from '../../graph/index.js';
import { addressOf, api, copyOut, type Pointer } from './onnxruntime/library.js';

export type Feed = Float32Array | BigInt64Array;

export type Device = 'cpu' | 'webgpu';

export interface RuntimeOptions {
  readonly device: Device;
  /** Threads inside one operator. */
  readonly threads: number;
}

export interface RunInput {
  readonly data: Feed;
  readonly shape: readonly number[];
}

export interface RunOutput {
  readonly data: Float32Array | BigInt64Array;
  readonly shape: readonly number[];
}

export interface RunOptions {
  /** The outputs to compute. Default: all. */
  readonly wanted?: readonly string[];
  /**
   * Memory that takes an output where it is, by its name. The memory of an input may be given: an op that works in place
   * (ScatterND) then changes it without a copy. No other node may read that input, as nothing says which runs first.
   */
  readonly into?: Readonly<Record<string, RunInput>>;
}

/** A compiled graph ready to run. */
export interface Program {
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  run(
    inputs: Readonly<Record<string, RunInput>>,
    sizes: Readonly<Record<string, number>>,
    options?: RunOptions,
  ): Promise<Readonly<Record<string, RunOutput>>>;
  release(): Promise<void>;
}

export interface ExternalFile {
  readonly path: string;
  readonly data: Uint8Array;
}

// Constants of onnxruntime_c_api.h.
const errorsOnly = 3;
const allOptimizations = 99;
const arenaAllocator = 1;
const defaultMemory = 0;
const elementTypes = { float32: 1, int64: 7 } as const;

const environment = api.createEnv(errorsOnly, 'anneal');
const cpuMemory = api.cpuMemory(arenaAllocator, defaultMemory);

/** `ANNEAL_PROFILE=<prefix>` has each session write the time of its nodes to a JSON file when it is released. */
const profilePrefix = (): string | undefined => process.env.ANNEAL_PROFILE;

/** Makes an ONNX Runtime session of a graph. Session creation optimises the graph and packs constant weights. */
export async function createProgram(
  graph: CompiledGraph,
  options: RuntimeOptions,
  external: readonly ExternalFile[] = [],
): Promise<Program> {
  const profile = profilePrefix();
  let session = createSession(graph.onnx, options, external, profile);
  const inputNames = cStrings(graph.inputs.map(({ name }) => name));
  const outputNames = new Map(graph.outputs.map((name) => [name, cString(name)]));
  /**
   * Whose memory native code works on: the session's for its life, a run's while it lasts. Held out here, as an
   * optimised function gives up a variable of its own after the last line that reads it, and the memory may then be
   * collected.
   */
  const held: { readonly session: unknown; run: unknown } = { session: [external, inputNames, outputNames], run: null };

  const inputOf = (
    name: string,
    inputs: Readonly<Record<string, RunInput>>,
    sizes: Readonly<Record<string, number>>,
  ) => {
    if (!name.startsWith('dim:')) {
      const value = inputs[name];
      if (!value) throw new Error(`engine: the graph needs the input ${name}`);
      return value;
    }
    const size = sizes[name.slice(4)];
    if (size === undefined) throw new Error(`engine: the graph needs the size ${name.slice(4)}`);
    return { data: BigInt64Array.of(BigInt(size)), shape: [1] };
  };

  return {
    inputs: graph.inputs.map(({ name }) => name),
    outputs: graph.outputs,
    async run(inputs, sizes, { wanted = graph.outputs, into = {} } = {}) {
      if (session === 0n) throw new Error('engine: the program was released');
      const feeds = graph.inputs.map(({ name }) => inputOf(name, inputs, sizes));
      held.run = [feeds, into];
      const names = wanted.map((name) => outputNames.get(name)!);
      const values: Pointer[] = [];
      const results: Pointer[] = [];
      try {
        for (const feed of feeds) values.push(createTensor(feed));
        for (const name of wanted) results.push(into[name] ? createTensor(into[name]) : 0n);
        const outputs = BigUint64Array.from(results);
        api.run(
          session,
          null,
          inputNames.addresses,
          BigUint64Array.from(values),
          values.length,
          BigUint64Array.from(names, addressOf),
          names.length,
          outputs,
        );
        outputs.forEach((output, i) => {
          results[i] = output;
        });
        return Object.fromEntries(wanted.map((name, i) => [name, into[name] ?? readTensor(results[i]!)]));
      } finally {
        for (const value of [...values, ...results]) if (value !== 0n) api.releaseValue(value);
        held.run = null;
      }
    },
    async release() {
      if (session === 0n) return;
      if (profile) api.endProfiling(session, api.defaultAllocator());
      api.releaseSession(session);
      session = 0n;
    },
  };
}

function createSession(
  model: Uint8Array,
  { device, threads }: RuntimeOptions,
  external: readonly ExternalFile[],
  profile: string | undefined,
): Pointer {
  const options = api.createSessionOptions();
  try {
    api.setIntraOpThreads(options, threads);
    api.setInterOpThreads(options, 1);
    api.setOptimizationLevel(options, allOptimizations);
    // The default plans memory for the shapes of the first run and allocates everything anew for the next ones.
    api.disableMemPattern(options);
    api.setLogSeverity(options, errorsOnly);
    // Between runs the processors are for others: the optimizer's threads come right after one.
    api.addConfigEntry(options, 'session.force_spinning_stop', '1');
    if (profile) api.enableProfiling(options, profile);
    if (device === 'webgpu') api.appendProvider(options, 'WebGPU', null, null, 0);
    if (external.length > 0) {
      api.addExternalData(
        options,
        external.map(({ path }) => path),
        BigUint64Array.from(external, ({ data }) => addressOf(data)),
        BigUint64Array.from(external, ({ data }) => BigInt(data.byteLength)),
        external.length,
      );
    }
    return api.createSession(environment, model, model.byteLength, options);
  } finally {
    api.releaseSessionOptions(options);
  }
}

/** A tensor over the memory of an array, which it does not own. */
function createTensor({ data, shape }: RunInput): Pointer {
  const elements = shape.reduce((product, dim) => product * dim, 1);
  if (elements !== data.length) {
    throw new Error(`engine: ${data.length} values do not make a tensor of shape [${shape.join(', ')}]`);
  }
  return api.createTensor(
    cpuMemory,
    // An empty array has no address.
    elements > 0 ? data : new Float32Array(1),
    data.byteLength,
    BigInt64Array.from(shape, BigInt),
    shape.length,
    data instanceof Float32Array ? elementTypes.float32 : elementTypes.int64,
  );
}

function readTensor(value: Pointer): RunOutput {
  const { type, shape } = readInfo(value);
  const array = type === elementTypes.float32 ? Float32Array : type === elementTypes.int64 ? BigInt64Array : null;
  if (!array) throw new Error(`engine: an output has elements of ONNX type ${type}; only float32 and int64 are read`);
  const elements = shape.reduce((product, dim) => product * dim, 1);
  return { data: new array(copyOut(api.tensorData(value), elements * array.BYTES_PER_ELEMENT)), shape };
}

function readInfo(value: Pointer): { readonly type: number; readonly shape: readonly number[] } {
  const info = api.tensorInfo(value);
  try {
    const dims = new BigInt64Array(api.dimensionsCount(info));
    if (dims.length > 0) api.dimensions(info, dims, dims.length);
    return { type: api.elementType(info), shape: Array.from(dims, Number) };
  } finally {
    api.releaseTensorInfo(info);
  }
}

const cString = (text: string): Uint8Array => Buffer.from(`${text}\0`);

/** Names as C takes them; they stay valid while the object is held. */
function cStrings(texts: readonly string[]) {
  const strings = texts.map(cString);
  return { strings, addresses: BigUint64Array.from(strings, addressOf) };
}
