import ort from 'onnxruntime-node';
import type { CompiledGraph } from '../../graph/index.js';

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

/** A compiled graph ready to run. */
export interface Program {
  readonly inputs: readonly string[];
  run(
    inputs: Readonly<Record<string, RunInput>>,
    sizes: Readonly<Record<string, number>>,
    wanted?: readonly string[],
  ): Promise<Readonly<Record<string, RunOutput>>>;
  release(): Promise<void>;
}

export interface ExternalFile {
  readonly path: string;
  readonly data: Uint8Array;
}

/** Makes an ONNX Runtime session of a graph. Session creation optimises the graph and packs constant weights. */
export async function createProgram(
  graph: CompiledGraph,
  options: RuntimeOptions,
  external: readonly ExternalFile[] = [],
): Promise<Program> {
  const session = await ort.InferenceSession.create(graph.onnx, {
    executionProviders: [options.device],
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    // The default plans memory for the shapes of the first run and allocates everything anew for the next ones.
    enableMemPattern: false,
    logSeverityLevel: 3,
    ...(external.length > 0 && { externalData: [...external] }),
  });
  const tensor = ({ data, shape }: RunInput): ort.Tensor =>
    data instanceof Float32Array
      ? new ort.Tensor('float32', data, [...shape])
      : new ort.Tensor('int64', data, [...shape]);
  return {
    inputs: graph.inputs.map(({ name }) => name),
    async run(inputs, sizes, wanted = graph.outputs) {
      const feeds: Record<string, ort.Tensor> = {};
      for (const { name } of graph.inputs) {
        if (name.startsWith('dim:')) {
          const size = sizes[name.slice(4)];
          if (size === undefined) throw new Error(`engine: the graph needs the size ${name.slice(4)}`);
          feeds[name] = new ort.Tensor('int64', BigInt64Array.of(BigInt(size)), [1]);
        } else {
          const value = inputs[name];
          if (!value) throw new Error(`engine: the graph needs the input ${name}`);
          feeds[name] = tensor(value);
        }
      }
      const results = await session.run(feeds, [...wanted]);
      return Object.fromEntries(
        wanted.map((name) => {
          const result = results[name]!;
          return [name, { data: result.data as RunOutput['data'], shape: result.dims }];
        }),
      );
    },
    release: () => session.release(),
  };
}
