import { totalmem } from 'node:os';
import type { LoraSpec, ModelConfig } from '../../models/index.js';
import type { Loss } from '../types.js';
import type { Layout } from './layout.js';
import { createProgram, type Program, type RuntimeOptions } from './runtime.js';
import { trainingGraph } from './training-graph.js';

export interface TrainingProgramRequest {
  readonly layout: Pick<Layout, 'shape' | 'chunks'>;
  /** Null: forward only. */
  readonly loss: Loss | null;
  readonly adapterOn: boolean;
  readonly entropy: boolean;
  readonly tempered: boolean;
}

/** The sessions that train and score, made when first needed and kept while there is memory. */
export interface TrainingPrograms {
  /** Valid until the next call, which may release it. */
  get(request: TrainingProgramRequest): Promise<Program>;
  release(): Promise<void>;
}

export interface TrainingProgramsOptions {
  readonly config: ModelConfig;
  readonly lora: LoraSpec | null;
  readonly trainable: ReadonlySet<string>;
  readonly recompute: boolean;
  readonly runtime: RuntimeOptions;
  /** Resident bytes above which programs that were not used lately are released. Default: half of the machine's memory. */
  readonly memoryLimit?: number;
  /** Resident bytes now. */
  readonly memory?: () => number;
}

export function createTrainingPrograms(options: TrainingProgramsOptions): TrainingPrograms {
  const { config, lora, trainable, recompute, runtime } = options;
  const { memory = () => process.memoryUsage.rss(), memoryLimit = availableMemory() / 2 } = options;
  /** In order of use, the latest last. */
  const made = new Map<string, Promise<Program>>();
  const forwardLora = lora && { ...lora, dropout: 0 };

  const make = ({ layout, loss, adapterOn, entropy, tempered }: TrainingProgramRequest): Promise<Program> =>
    createProgram(
      trainingGraph({
        config,
        lora: adapterOn ? (loss ? lora : forwardLora) : null,
        trainable,
        recompute,
        shape: layout.shape,
        chunks: layout.chunks.length,
        loss,
        entropy,
        tempered,
      }),
      runtime,
    );

  return {
    async get(request) {
      const key = keyOf(request);
      const known = made.get(key);
      made.delete(key);
      // A session keeps the memory of its largest run. Making it anew takes less than a second.
      for (const [unused, program] of made) {
        if (memory() <= memoryLimit) break;
        made.delete(unused);
        await (await program).release();
      }
      const program = known ?? make(request);
      made.set(key, program);
      // One that could not be made is neither kept nor released.
      program.catch(() => made.delete(key));
      return program;
    },
    async release() {
      for (const program of made.values()) await (await program).release();
      made.clear();
    },
  };
}

function keyOf({ layout, loss, adapterOn, entropy, tempered }: TrainingProgramRequest): string {
  const { blocks, uniform } = layout.shape;
  const graph = loss && [loss.name, JSON.stringify(loss.graph, replaceData)];
  return [blocks, uniform, layout.chunks.length, graph, adapterOn, entropy, tempered].join('|');
}

/** Typed arrays differ from plain arrays in JSON; a loss's constants are part of its identity. */
const replaceData = (_: string, value: unknown): unknown =>
  value instanceof BigInt64Array ? [...value].map(String) : value;

/** Bytes that this process may use: a container's limit, or the machine's memory. */
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}
