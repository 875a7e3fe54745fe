import { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-node';
import { type Bindings, type CompiledGraph, type CompileOptions, compile, type Tensor } from '../../src/graph/index.js';

/** Elements in row-major order; 0 and 1 stand for booleans. */
export interface Value {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

export type Feeds = Readonly<Record<string, Value>>;

interface RunOptions extends CompileOptions {
  /** Values of the symbols that are not bound; fed as `dim:<symbol>`. */
  readonly symbols?: Bindings;
  readonly session?: InferenceSession.SessionOptions;
}

function toOrt(dtype: string, { shape, data }: Value): OrtTensor {
  if (dtype === 'int64') return new OrtTensor('int64', BigInt64Array.from(data.map(BigInt)), shape);
  if (dtype === 'bool') return new OrtTensor('bool', Uint8Array.from(data), shape);
  return new OrtTensor('float32', Float32Array.from(data), shape);
}

function fromOrt(tensor: OrtTensor): Value {
  return { shape: tensor.dims, data: Array.from(tensor.data as Float32Array, Number) };
}

export interface Runner {
  readonly compiled: CompiledGraph;
  readonly session: InferenceSession;
  run(feeds: Feeds): Promise<Record<string, Value>>;
}

/** Compiles outputs into an ONNX Runtime session. */
export async function prepare(outputs: Readonly<Record<string, Tensor>>, options: RunOptions = {}): Promise<Runner> {
  const compiled = compile(outputs, options);
  const session = await InferenceSession.create(compiled.onnx, {
    intraOpNumThreads: 1,
    logSeverityLevel: 3,
    ...options.session,
  });
  return {
    compiled,
    session,
    async run(feeds) {
      const fed = Object.fromEntries(
        compiled.inputs.map(({ name, dtype }) => {
          const value = name.startsWith('dim:')
            ? { shape: [1], data: [options.symbols?.[name.slice(4)] ?? Number.NaN] }
            : feeds[name];
          if (!value) throw new Error(`the test feeds no ${name}`);
          return [name, toOrt(dtype, value)];
        }),
      );
      const results = await session.run(fed);
      return Object.fromEntries(compiled.outputs.map((name) => [name, fromOrt(results[name]!)]));
    },
  };
}

export async function run(
  outputs: Readonly<Record<string, Tensor>>,
  feeds: Feeds = {},
  options: RunOptions = {},
): Promise<Record<string, Value>> {
  return (await prepare(outputs, options)).run(feeds);
}
