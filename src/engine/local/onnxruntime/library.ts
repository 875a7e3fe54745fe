import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Comes with a compiled part for each platform, in an optional dependency of its own. */
const { default: koffi } = await import('koffi').catch((cause: unknown) => {
  throw new Error(
    `engine: koffi, through which ONNX Runtime is called, has no compiled part for ${process.platform}/${process.arch} here; install without --omit=optional`,
    { cause },
  );
});

/** An address in native memory; 0n is null. */
export type Pointer = bigint;

/** Version of the C API that is asked for. A later library serves it unchanged. */
const apiVersion = 18;

/** The shared library that comes with `onnxruntime-node`. */
function libraryPath(): string {
  const root = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
  const platform = `${process.platform}/${process.arch}`;
  try {
    const binding = readdirSync(join(root, 'bin')).find((name) => name.startsWith('napi-'))!;
    const folder = join(root, 'bin', binding, platform);
    const name = readdirSync(folder).find((file) => /^(lib)?onnxruntime\.(so|dll|\d[\d.]*dylib)/.test(file))!;
    return join(folder, name);
  } catch (cause) {
    throw new Error(
      `engine: onnxruntime-node has no library for ${platform}; the local engine runs on linux, macOS (arm64) and Windows`,
      { cause },
    );
  }
}

/** Exported to be held: a library that nothing holds is unloaded, whatever addresses in it are still known. */
export const library = koffi.load(libraryPath());

/** The table of functions, `struct OrtApi`. */
function loadTable(): Pointer {
  const getBase = library.func('void *OrtGetApiBase()');
  const getApi = koffi.decode(getBase(), 'void *') as Pointer;
  const table = koffi.call(getApi, koffi.proto('void *(uint32_t)'), apiVersion) as Pointer | null;
  if (!table) throw new Error(`engine: this ONNX Runtime does not serve version ${apiVersion} of its C API`);
  return table;
}

const table = loadTable();

type Type = Parameters<typeof koffi.sizeof>[0];

const out = (type: string): Type => koffi.out(`${type} *`);

/** The function at a place of the table. Places never change: new functions are only appended. */
function at(place: number, result: string, types: readonly Type[]) {
  const prototype = koffi.proto(result, [...types]);
  const address = koffi.decode(table, place * koffi.sizeof('void *'), 'void *');
  return (...values: readonly unknown[]): unknown => koffi.call(address, prototype, ...values);
}

const errorMessage = at(2, 'str', ['void *']);
const releaseStatus = at(93, 'void', ['void *']);

function check(status: unknown): void {
  if (!status) return;
  const message = errorMessage(status) as string;
  releaseStatus(status);
  throw new Error(message);
}

/** A function that returns a status, which becomes an exception. */
function action(place: number, ...types: readonly Type[]) {
  const call = at(place, 'void *', types);
  return (...values: readonly unknown[]): void => check(call(...values));
}

/** The same whose last argument is where its result goes. */
function query<T = Pointer>(place: number, ...types: readonly Type[]) {
  const call = at(place, 'void *', types);
  return (...values: readonly unknown[]): T => {
    const result: unknown[] = [null];
    check(call(...values, result));
    return result[0] as T;
  };
}

const release = (place: number) => at(place, 'void', ['void *']) as (object: Pointer) => void;

const handle = out('void *');
const path = process.platform === 'win32' ? 'str16' : 'str';

/** What the engine uses of ONNX Runtime's C API, in the order and with the arguments of `onnxruntime_c_api.h`. */
export const api = {
  createEnv: query(3, 'int', 'str', handle),
  createSession: query(8, 'void *', 'void *', 'size_t', 'void *', handle),
  run: action(9, 'void *', 'void *', 'void *', 'void *', 'size_t', 'void *', 'size_t', 'void *'),
  createSessionOptions: query(10, handle),
  enableProfiling: action(14, 'void *', path),
  disableMemPattern: action(17, 'void *'),
  setLogSeverity: action(22, 'void *', 'int'),
  setOptimizationLevel: action(23, 'void *', 'int'),
  setIntraOpThreads: action(24, 'void *', 'int'),
  setInterOpThreads: action(25, 'void *', 'int'),
  createTensor: query(49, 'void *', 'void *', 'size_t', 'void *', 'size_t', 'int', handle),
  tensorData: query(51, 'void *', handle),
  elementType: query<number>(60, 'void *', out('int')),
  dimensionsCount: query<number>(61, 'void *', out('size_t')),
  dimensions: action(62, 'void *', 'void *', 'size_t'),
  tensorInfo: query(65, 'void *', handle),
  cpuMemory: query(69, 'int', 'int', handle),
  defaultAllocator: query(78, handle),
  endProfiling: query(110, 'void *', 'void *', handle),
  addConfigEntry: action(130, 'void *', 'str', 'str'),
  appendProvider: action(216, 'void *', 'str', 'void *', 'void *', 'size_t'),
  addExternalData: action(279, 'void *', `${path} *`, 'void *', 'void *', 'size_t'),
  releaseSession: release(95),
  releaseValue: release(96),
  releaseTensorInfo: release(99),
  releaseSessionOptions: release(100),
} as const;

/** Where an array's elements lie. They do not move while the array is held. */
export const addressOf = (array: ArrayBufferView): Pointer => koffi.address(array);

/** A copy of native memory. */
export const copyOut = (pointer: Pointer, bytes: number): ArrayBuffer =>
  bytes === 0 ? new ArrayBuffer(0) : koffi.view(pointer, bytes).slice(0);
