import {
  type Adapter,
  type AdapterConfig,
  dropoutSpread,
  type LoraSpec,
  loadAdapter,
  loadCheckpoint,
  loraNames,
  type ModelConfig,
  mergeAdapter,
  randomAdapter,
  randomWeights,
  ropeTables,
  saveAdapter,
  saveCheckpoint,
  type Weights,
} from '../../models/index.js';
import type {
  Batch,
  ForwardBackwardResult,
  ForwardOptions,
  ForwardResult,
  Loss,
  OptimStepParams,
  OptimStepResult,
  SampleRequest,
  SampleResult,
} from '../types.js';
import { createAdamwPool } from './adamw-pool.js';
import { dropoutPool } from './dropout.js';
import { createGradientSums } from './gradient-sums.js';
import { headName, headParts } from './head-parts.js';
import { type Layout, layoutBatch, layoutInputs } from './layout.js';
import type { Device, RunInput, RunOutput } from './runtime.js';
import { type SampleHooks, sampleBatch } from './sampler.js';
import { createSamplerPrograms } from './sampler-programs.js';
import { readState, writeState } from './state-file.js';
import { allocateParameters } from './trained-parameters.js';
import { createTrainingPrograms } from './training-programs.js';

export interface LocalEngineOptions {
  /** A checkpoint on disk, or a model with random weights. */
  readonly model: { readonly path: string } | { readonly config: ModelConfig; readonly seed: number };
  /** What is trained. With `none` the engine only samples and scores, and an adapter is merged into the weights. */
  readonly train: 'full' | 'lora' | 'none';
  /** A new adapter, or one on disk to go on with. */
  readonly adapter: AdapterConfig | { readonly path: string } | null;
  readonly device: Device;
  readonly threads: number;
  readonly gradientCheckpointing: boolean;
  /** Seed of the adapter's first weights and of dropout. */
  readonly seed: number;
  /** Bytes of each token by id, for stop strings. */
  readonly vocabulary: readonly Uint8Array[] | null;
  /** The base that an exported adapter names. */
  readonly baseModel: string;
  /** Text files saved beside exported weights, such as the tokenizer's. */
  readonly files: Readonly<Record<string, string>>;
  /** Most sequences decoded at once. */
  readonly sampleSlots: number;
}

/** The compute plane itself: everything the engine does, in the thread it is called in. */
export interface Compute {
  readonly config: ModelConfig;
  /** Trained and all parameters, in elements. */
  readonly parameterCount: { readonly trained: number; readonly total: number };
  forward(batch: Batch, options: Omit<ForwardOptions, 'signal'>): Promise<ForwardResult>;
  forwardBackward(batch: Batch, loss: Loss): Promise<ForwardBackwardResult>;
  optimStep(params: OptimStepParams): Promise<OptimStepResult>;
  sample(requests: readonly SampleRequest[], hooks: SampleHooks): Promise<SampleResult[]>;
  publish(version: number): void;
  saveState(directory: string): Promise<void>;
  loadState(directory: string): Promise<void>;
  exportModel(directory: string): Promise<void>;
  /** The accumulated gradient of a parameter; null before the first forwardBackward. For tests and inspection. */
  gradient(name: string): Float32Array | null;
  dispose(): Promise<void>;
}

/** How much is held at once; results do not depend on it. */
export interface Limits {
  /** Bytes of logits in one chunk of the output head, which has 64 rows or more. */
  readonly logitBytes: number;
  /** Tokens in one prefill of several prompts. */
  readonly prefillTokens: number;
}

const defaultLimits: Limits = { logitBytes: 128 * 1024 * 1024, prefillTokens: 2048 };

export async function createCompute(options: LocalEngineOptions, limits: Limits = defaultLimits): Promise<Compute> {
  const loaded = await loadModel(options);
  const { config, generationConfig } = loaded;
  const lora = options.train === 'none' ? null : loaded.adapter;
  const base =
    options.train === 'none' && loaded.adapter ? mergeAdapter(loaded.weights, loaded.adapter) : loaded.weights;
  // Functions below hold on to names only: first weights that are trained get other memory, and theirs is freed.
  const baseNames = new Set(base.keys());
  const runtime = { device: options.device, threads: options.threads };
  const spec: LoraSpec | null = lora && { modules: lora.modules, dropout: lora.config.dropout };
  const samplerSpec = spec && { ...spec, dropout: 0 };

  /** Current weights by parameter name, the adapter's included. */
  const current = new Map<string, RunInput>(base);
  for (const [path, { a, b }] of lora?.modules ?? []) {
    current.set(loraNames(path).a, a);
    current.set(loraNames(path).b, b);
  }
  const trainable = new Set(
    options.train === 'none' ? [] : lora ? [...current.keys()].filter((name) => !baseNames.has(name)) : baseNames,
  );
  const shapes = new Map([...trainable].map((name) => [name, current.get(name)!.shape]));
  const parameters = allocateParameters(new Map([...trainable].map((name) => [name, current.get(name)!])));
  for (const [name, { weights }] of parameters) current.set(name, { data: weights, shape: shapes.get(name)! });
  const frozen: Weights = options.train === 'full' ? new Map() : base;

  const head = headName(config);
  const gradients = createGradientSums(parameters, shapes, head);
  let step = 0;
  let microBatches = 0;
  /** `microBatches` at the last optimizer step: what a saved state holds, as it has no gradient. */
  let microBatchesStepped = 0;
  let rope = ropeTables(config, 0);
  let published = { version: 0, weights: new Map(current) };
  /** Whether the published weights are the current arrays themselves, which have to be copied before an update. */
  let shared = true;

  const optimizer = createAdamwPool(parameters, options.threads);
  const programs = createTrainingPrograms({
    config,
    lora: spec,
    trainable,
    recompute: options.gradientCheckpointing,
    runtime,
  });
  const samplers = createSamplerPrograms({ config, lora: samplerSpec, frozen, runtime });
  const ropeFor = (length: number) => {
    const have = (rope.cos.length / config.headDim) * 2;
    if (length > have) rope = ropeTables(config, 2 ** Math.ceil(Math.log2(length)));
    return rope;
  };
  const chunkRows = Math.max(64, Math.floor(limits.logitBytes / (4 * config.vocabSize)));
  const layOut = (batch: Batch): Layout => {
    checkBatch(batch, config);
    const longest = Math.max(...batch.sequences.map((sequence) => sequence.tokens.length));
    return layoutBatch(batch.sequences, { config, rope: ropeFor(longest), chunkRows });
  };

  const run = async (batch: Batch, loss: Loss | null, adapterOn: boolean, entropy: boolean) => {
    const layout = layOut(batch);
    const { temperature = 1 } = batch;
    const program = await programs.get({ layout, loss, adapterOn, entropy, tempered: temperature !== 1 });
    const inputs: Record<string, RunInput> = {
      inverseTemperature: { data: Float32Array.of(1 / temperature), shape: [] },
      ...Object.fromEntries(current),
      ...Object.fromEntries(headParts(head, current.get(head)!)),
      ...layoutInputs(config, layout),
      ...lossInputs(batch, loss, layout),
    };
    const sizes: Record<string, number> = { ...layout.sizes };
    if (loss && spec && spec.dropout > 0) {
      const widest = Math.max(config.intermediateSize, config.hiddenSize, config.numHeads * config.headDim);
      const pool = dropoutPool(sizes.N! * widest + dropoutSpread, spec.dropout, options.seed, microBatches);
      inputs.dropout = { data: pool, shape: [pool.length] };
      sizes.P = pool.length;
    }
    const outputs = await program.run(inputs, sizes, { into: gradients.targets(program.outputs) });
    return { layout, outputs };
  };

  const perSequence = (layout: Layout, output: RunOutput): Float32Array[] => {
    const values = output.data as Float32Array;
    const flat = new Float32Array(layout.starts.at(-1)!);
    layout.wanted.forEach((position, i) => {
      flat[position] = values[i]!;
    });
    return Array.from({ length: layout.starts.length - 1 }, (_, i) =>
      flat.slice(layout.starts[i]!, layout.starts[i + 1]!),
    );
  };

  return {
    config,
    parameterCount: { trained: countOf(current, trainable), total: countOf(current, new Set(current.keys())) },

    async forward(batch, { adapter = 'on', entropy = false }) {
      const { layout, outputs } = await run(batch, null, adapter === 'on', entropy);
      return {
        logprobs: perSequence(layout, outputs.logprobs!),
        ...(entropy && { entropy: perSequence(layout, outputs.entropy!) }),
      };
    },

    async forwardBackward(batch, loss) {
      if (trainable.size === 0) throw new Error('engine: it was opened for sampling only (train: none)');
      const { layout, outputs } = await run(batch, loss, true, false);
      microBatches++;
      const { tokens, targets } = layout.feeds as Readonly<Record<string, BigInt64Array>>;
      gradients.add(outputs, tokens!, targets!);
      const scalar = (name: string): number => (outputs[name]!.data as Float32Array)[0]!;
      return {
        loss: scalar('loss'),
        metrics: Object.fromEntries(loss.metrics.map((name) => [name, scalar(`metric:${name}`)])),
        logprobs: perSequence(layout, outputs.logprobs!),
      };
    },

    async optimStep(params) {
      const names = gradients.take();
      if (names.length === 0) throw new Error('engine: optimStep without a gradient; call forwardBackward first');
      if (shared) {
        for (const [name, { weights }] of parameters) {
          published.weights.set(name, { data: new Float32Array(weights), shape: shapes.get(name)! });
        }
        shared = false;
      }
      const gradNorm = await optimizer.run({ names, params, step: step + 1 });
      if (!Number.isFinite(gradNorm)) return { gradNorm, step };
      step++;
      microBatchesStepped = microBatches;
      return { gradNorm, step };
    },

    async sample(requests, hooks) {
      const longest = Math.max(0, ...requests.map(({ prompt, params }) => prompt.length + params.maxTokens));
      return sampleBatch(
        {
          config,
          rope: ropeFor(Math.min(longest, config.maxPositionEmbeddings)),
          weights: Object.fromEntries(published.weights),
          decode: samplers.decode,
          prefill: samplers.prefill,
          vocabulary: options.vocabulary,
          version: published.version,
          slots: options.sampleSlots,
          prefillTokens: limits.prefillTokens,
        },
        requests,
        hooks,
      );
    },

    publish(version) {
      published = { version, weights: new Map(current) };
      shared = true;
    },

    saveState: (directory) => writeState(directory, { parameters, step, microBatches: microBatchesStepped }, shapes),

    async loadState(directory) {
      const state = await readState(directory, shapes);
      for (const [name, { weights, m, v }] of parameters) {
        const saved = state.parameters.get(name)!;
        weights.set(saved.weights);
        m.set(saved.m);
        v.set(saved.v);
      }
      ({ step, microBatches } = state);
      microBatchesStepped = microBatches;
      gradients.clear();
      published = { version: published.version, weights: new Map(current) };
      shared = true;
    },

    async exportModel(directory) {
      const files = new Map(Object.entries(options.files));
      if (lora) {
        const modules = new Map(
          [...lora.modules].map(([path, module]) => {
            const names = loraNames(path);
            return [path, { ...module, a: weightOf(current, names.a), b: weightOf(current, names.b) }];
          }),
        );
        await saveAdapter(directory, { config: lora.config, modules }, { baseModel: options.baseModel });
        return;
      }
      const weights = new Map([...baseNames].map((name) => [name, weightOf(current, name)]));
      await saveCheckpoint(directory, config, weights, { generationConfig, files });
    },

    gradient: (name) => gradients.get(name),

    async dispose() {
      await programs.release();
      await samplers.release();
      await optimizer.dispose();
    },
  };
}

async function loadModel({ model, adapter, seed }: LocalEngineOptions) {
  const checkpoint =
    'path' in model
      ? await loadCheckpoint(model.path)
      : { config: model.config, weights: randomWeights(model.config, model.seed), generationConfig: null };
  const loaded: Adapter | null =
    adapter === null
      ? null
      : 'path' in adapter
        ? await loadAdapter(adapter.path, checkpoint.config)
        : randomAdapter(checkpoint.config, adapter, seed);
  return { ...checkpoint, adapter: loaded };
}

const weightOf = (weights: ReadonlyMap<string, RunInput>, name: string) => {
  const { data, shape } = weights.get(name)!;
  return { data: data as Float32Array, shape };
};

function countOf(weights: ReadonlyMap<string, RunInput>, names: ReadonlySet<string>): number {
  let total = 0;
  for (const name of names) total += weights.get(name)!.data.length;
  return total;
}

function checkBatch({ sequences, temperature = 1 }: Batch, config: ModelConfig): void {
  if (sequences.length === 0) throw new Error('engine: the batch has no sequences');
  if (!(temperature > 0)) throw new Error(`engine: the temperature of a batch is ${temperature}; it must be above 0`);
  let wanted = 0;
  sequences.forEach(({ tokens, targets, wanted: mask }, i) => {
    const where = `engine: sequence ${i} of the batch`;
    if (tokens.length === 0) throw new Error(`${where} is empty`);
    if (targets.length !== tokens.length || mask.length !== tokens.length) {
      throw new Error(`${where} has ${tokens.length} tokens, ${targets.length} targets and ${mask.length} mask values`);
    }
    const odd = mask.find((value) => value > 1);
    if (odd !== undefined) throw new Error(`${where}: its mask of wanted positions holds ${odd}; it takes 0 and 1`);
    if (tokens.length > config.maxPositionEmbeddings) {
      throw new Error(`${where} has ${tokens.length} tokens, more than the model's ${config.maxPositionEmbeddings}`);
    }
    for (let t = 0; t < tokens.length; t++) {
      const strange = [tokens[t]!, targets[t]!].find((id) => id < 0 || id >= config.vocabSize);
      if (strange !== undefined) {
        throw new Error(`${where}: token ${strange} at position ${t} is outside the vocabulary of ${config.vocabSize}`);
      }
      wanted += mask[t]!;
    }
  });
  if (wanted === 0) throw new Error('engine: no position of the batch is wanted, so there is nothing to compute');
}

/** The columns of the loss at the wanted positions, as `loss:<name>`. */
function lossInputs(batch: Batch, loss: Loss | null, layout: Layout): Record<string, RunInput> {
  const inputs: Record<string, RunInput> = {};
  for (const name of loss?.inputs ?? []) {
    const column = batch.inputs[name];
    if (!column) throw new Error(`engine: the loss ${loss!.name} needs the per-token input ${name}`);
    const sequences = layout.starts.length - 1;
    if (column.length !== sequences)
      throw new Error(`engine: ${name} has values of ${column.length} sequences, the batch has ${sequences}`);
    const flat = new Float32Array(layout.starts.at(-1)!);
    column.forEach((values, i) => {
      const length = layout.starts[i + 1]! - layout.starts[i]!;
      if (values.length !== length)
        throw new Error(`engine: ${name} of sequence ${i} has ${values.length} values for ${length} tokens`);
      flat.set(values, layout.starts[i]!);
    });
    inputs[`loss:${name}`] = { data: Float32Array.from(layout.wanted, (i) => flat[i]!), shape: [layout.wanted.length] };
  }
  for (const name of loss?.scalars ?? []) {
    const value = batch.scalars[name];
    if (value === undefined) throw new Error(`engine: the loss ${loss!.name} needs the scalar ${name}`);
    inputs[`loss:${name}`] = { data: Float32Array.of(value), shape: [] };
  }
  return inputs;
}
