import { join } from 'node:path';
import { openSafetensors, type WritableTensor, writeSafetensors } from '../../models/index.js';
import type { TrainedParameter } from './trained-parameters.js';

/** Weights and first and second moments of a parameter. */
export type SavedParameter = Pick<TrainedParameter, 'weights' | 'm' | 'v'>;

/** What a training run needs to go on, bit for bit. */
export interface EngineState {
  readonly parameters: ReadonlyMap<string, SavedParameter>;
  /** Optimizer steps taken. */
  readonly step: number;
  /** Micro-batches seen, from which dropout draws. */
  readonly microBatches: number;
}

const fileName = 'engine.safetensors';
const format = '1';

export async function writeState(
  directory: string,
  state: EngineState,
  shapes: ReadonlyMap<string, readonly number[]>,
): Promise<void> {
  const tensors = new Map<string, WritableTensor>();
  for (const [name, { weights, m, v }] of state.parameters) {
    const shape = shapes.get(name)!;
    tensors.set(`parameter:${name}`, { shape, data: weights });
    tensors.set(`m:${name}`, { shape, data: m });
    tensors.set(`v:${name}`, { shape, data: v });
  }
  const metadata = { format, step: String(state.step), microBatches: String(state.microBatches) };
  await writeSafetensors(join(directory, fileName), tensors, { metadata });
}

/** Reads a state for parameters of these shapes; anything else in the file, or missing from it, is an error. */
export async function readState(
  directory: string,
  shapes: ReadonlyMap<string, readonly number[]>,
): Promise<EngineState> {
  const path = join(directory, fileName);
  const file = await openSafetensors(path);
  try {
    const { metadata } = file;
    if (metadata.get('format') !== format)
      throw new Error(`${path}: state format ${metadata.get('format') ?? 'unknown'}; this version reads ${format}`);
    const read = async (name: string, shape: readonly number[]): Promise<Float32Array> => {
      const tensor = await file.readFloat(name);
      if (tensor.shape.join() !== shape.join()) {
        throw new Error(
          `${path}: ${name} is [${tensor.shape.join(', ')}], the run needs [${shape.join(', ')}]; it was saved by a run with another model or adapter`,
        );
      }
      return tensor.data;
    };
    const names = new Set([...file.tensors.keys()]);
    const parameters = new Map<string, SavedParameter>();
    for (const [name, shape] of shapes) {
      if (!names.has(`parameter:${name}`))
        throw new Error(`${path} has no ${name}: it was saved by a run that trained other weights`);
      const weights = await read(`parameter:${name}`, shape);
      // A parameter that was never updated may come without moments.
      const moment = async (name: string) => (names.has(name) ? read(name, shape) : new Float32Array(weights.length));
      parameters.set(name, { weights, m: await moment(`m:${name}`), v: await moment(`v:${name}`) });
    }
    const strange = [...names].find((name) => !shapes.has(name.slice(name.indexOf(':') + 1)));
    if (strange) throw new Error(`${path} holds ${strange}, which this run does not train`);
    return {
      parameters,
      step: Number(metadata.get('step')),
      microBatches: Number(metadata.get('microBatches')),
    };
  } finally {
    await file.close();
  }
}
