import type { ConstantData } from '../../graph/index.js';
import type { BlockShape, LoraSpec, ModelConfig, Weights } from '../../models/index.js';
import { createProgram, type ExternalFile, type Program, type RuntimeOptions } from './runtime.js';
import { type DecodeMode, decodeGraph, prefillGraph } from './sampler-graph.js';

/** The sampler's sessions, made when first needed and kept. */
export interface SamplerPrograms {
  decode(mode: DecodeMode): Promise<Program>;
  prefill(shape: BlockShape): Promise<Program>;
  release(): Promise<void>;
}

export interface SamplerProgramsOptions {
  readonly config: ModelConfig;
  readonly lora: LoraSpec | null;
  /** Weights that never change: as constants they are packed for the kernels, which makes small batches half again faster. */
  readonly frozen: Weights;
  readonly runtime: RuntimeOptions;
}

export function createSamplerPrograms({ config, lora, frozen, runtime }: SamplerProgramsOptions): SamplerPrograms {
  const constants = new Map<string, ConstantData>();
  const external: ExternalFile[] = [];
  for (const [name, { shape, data }] of frozen) {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    external.push({ path: name, data: bytes });
    constants.set(name, { shape, data: { location: name, offset: 0, length: bytes.length } });
  }
  const made = new Map<string, Promise<Program>>();
  const once = (key: string, make: () => Promise<Program>): Promise<Program> => {
    let program = made.get(key);
    if (!program) {
      program = make();
      made.set(key, program);
      // One that could not be made is neither kept nor released.
      program.catch(() => made.delete(key));
    }
    return program;
  };
  return {
    decode: (mode) =>
      once(`decode ${mode}`, () => createProgram(decodeGraph({ config, lora, constants }, mode), runtime, external)),
    // Prompts come in at hundreds of rows, where packed weights gain nothing and would be held a second time.
    prefill: (shape) =>
      once(`prefill ${shape.blocks} ${shape.uniform}`, () =>
        createProgram(prefillGraph({ config, lora, constants: new Map() }, shape), runtime),
      ),
    async release() {
      for (const program of made.values()) await (await program).release();
      made.clear();
    },
  };
}
