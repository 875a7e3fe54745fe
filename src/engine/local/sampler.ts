import { type BlockShape, type ModelConfig, maskName, type RopeTables } from '../../models/index.js';
import type { SampleRequest, SampleResult } from '../types.js';
import { drawToken, noDistribution, penalize, temper } from './draw.js';
import { drawBlocks } from './draw-graph.js';
import { createKvCache, type KvCache, type PromptKeyValues } from './kv-cache.js';
import { layoutBatch, layoutInputs } from './layout.js';
import { uniform } from './random.js';
import type { Program, RunInput, RunOutput } from './runtime.js';
import {
  type DecodeMode,
  keyName,
  newKeyName,
  newValueName,
  valueName,
  writtenKeysName,
  writtenValuesName,
} from './sampler-graph.js';
import { createStopMatcher, type StopMatcher } from './stop.js';

export interface SamplerModel {
  readonly config: ModelConfig;
  readonly rope: RopeTables;
  /** Weights and adapter matrices that are inputs of the programs. */
  readonly weights: Readonly<Record<string, RunInput>>;
  decode(mode: DecodeMode): Promise<Program>;
  prefill(shape: BlockShape): Promise<Program>;
  readonly vocabulary: readonly Uint8Array[] | null;
  readonly version: number;
  /** Most sequences decoded at once. */
  readonly slots: number;
  /** Most prompt tokens in one prefill. */
  readonly prefillTokens: number;
}

export interface SampleHooks {
  readonly aborted: () => boolean;
  readonly onResult: (index: number, result: SampleResult) => void;
  readonly onStep: (
    sampledTokens: number,
    newest: readonly { readonly index: number; readonly token: number }[],
  ) => void;
}

interface Running {
  readonly index: number;
  readonly request: SampleRequest;
  readonly tokens: number[];
  readonly samplingLogprobs: number[];
  readonly logprobs: number[];
  readonly stop: StopMatcher | null;
  readonly seen: Set<number> | null;
}

/** A prompt's keys and values and the logits after it, shared by the requests that have this prompt. */
interface Prefilled {
  readonly keyValues: PromptKeyValues;
  readonly logits: Float32Array;
  readonly logNormalizer: number;
}

interface Taken {
  readonly token: number;
  readonly samplingLogprob: number;
  readonly logprob: number;
}

/** Rows of the next-token outputs that belong to one sequence. */
interface NextToken {
  /** After temperature. */
  readonly probabilities: Float32Array;
  /** Null when the probabilities are the model's own. */
  readonly logits: Float32Array | null;
  readonly logNormalizer: number;
}

/** Below this drawing in the graph costs more than copying the probabilities out. */
const drawnVocabulary = 8192;

/** The cheapest decoding step that serves all requests. */
function decodeMode(requests: readonly SampleRequest[], vocabSize: number): DecodeMode {
  const every = (test: (params: SampleRequest['params']) => boolean): boolean =>
    requests.every(({ params }) => test(params));
  const plain = every(
    ({ temperature, repetitionPenalty }) => (temperature === 0 || temperature === 1) && repetitionPenalty === 1,
  );
  const uncut = every(({ topP, topK, minP }) => topP >= 1 && topK === 0 && minP === 0);
  if (plain && uncut && vocabSize >= drawnVocabulary) return 'drawn';
  return plain ? 'plain' : 'tempered';
}

/** Continuous batching: finished sequences leave their slot and waiting ones take it, between decoding steps. */
export async function sampleBatch(
  model: SamplerModel,
  requests: readonly SampleRequest[],
  hooks: SampleHooks,
): Promise<SampleResult[]> {
  const { config } = model;
  const results: SampleResult[] = new Array(requests.length);
  const longest = Math.max(0, ...requests.map(({ prompt, params }) => prompt.length + params.maxTokens));
  const room = Math.min(longest, config.maxPositionEmbeddings);
  const cache = createKvCache(config, Math.min(model.slots, requests.length), room);
  const running: Running[] = [];
  const prompts = new Map<string, Prefilled>();
  const keys = requests.map((request) => request.prompt.join());
  const waitingFor = new Map<string, number>();
  for (const key of keys) waitingFor.set(key, (waitingFor.get(key) ?? 0) + 1);
  requests.forEach((request, i) => {
    checkRequest(request, i, model);
  });
  const mode = decodeMode(requests, config.vocabSize);
  const program = await model.decode(mode);
  let next = 0;
  let sampled = 0;

  const finish = (run: Running, finishReason: SampleResult['finishReason']): void => {
    const result: SampleResult = {
      tokens: Int32Array.from(run.tokens),
      samplingLogprobs: Float32Array.from(run.samplingLogprobs),
      logprobs: Float32Array.from(run.logprobs),
      finishReason,
      policyVersion: model.version,
    };
    results[run.index] = result;
    hooks.onResult(run.index, result);
  };

  const start = (index: number): Running => {
    const request = requests[index]!;
    const { stopStrings, repetitionPenalty } = request.params;
    return {
      index,
      request,
      tokens: [],
      samplingLogprobs: [],
      logprobs: [],
      stop: stopStrings.length > 0 ? createStopMatcher(stopStrings, model.vocabulary!) : null,
      seen: repetitionPenalty === 1 ? null : new Set(request.prompt),
    };
  };

  /** Takes the next token of a sequence; returns why it ends, or null. */
  const take = (run: Running, { token, samplingLogprob, logprob }: Taken): SampleResult['finishReason'] | null => {
    const { params, prompt } = run.request;
    run.tokens.push(token);
    run.samplingLogprobs.push(samplingLogprob);
    run.logprobs.push(logprob);
    run.seen?.add(token);
    sampled++;
    if (params.stopTokens.includes(token) || run.stop?.push(token)) return 'stop';
    const room = prompt.length + run.tokens.length < config.maxPositionEmbeddings;
    return run.tokens.length >= params.maxTokens || !room ? 'length' : null;
  };

  const admit = async (): Promise<void> => {
    const free = Math.min(model.slots, requests.length) - cache.active;
    const worthwhile = cache.active === 0 || free >= Math.max(1, model.slots >> 3);
    if (next >= requests.length || free === 0 || !worthwhile) return;
    const indices = Array.from({ length: Math.min(free, requests.length - next) }, (_, i) => next + i);
    const missing = [...new Set(indices.map((i) => keys[i]!))].filter((key) => !prompts.has(key));
    let batch: { key: string; prompt: Int32Array }[] = [];
    let tokens = 0;
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      const filled = await prefill(
        model,
        batch.map(({ prompt }) => prompt),
      );
      filled.forEach((prefilled, i) => {
        prompts.set(batch[i]!.key, prefilled);
      });
      batch = [];
      tokens = 0;
    };
    for (const key of missing) {
      const { prompt } = requests[keys.indexOf(key)]!;
      if (tokens > 0 && tokens + prompt.length > model.prefillTokens) await flush();
      batch.push({ key, prompt });
      tokens += prompt.length;
    }
    await flush();
    const newest: { index: number; token: number }[] = [];
    for (const index of indices) {
      const key = keys[index]!;
      const { keyValues, logits, logNormalizer } = prompts.get(key)!;
      const run = start(index);
      // A group shares the logits, not the temperature.
      const probabilities = temper(logits, run.request.params.temperature);
      const reason = take(run, draw(run, { probabilities, logits, logNormalizer }));
      newest.push({ index, token: run.tokens.at(-1)! });
      if (reason) finish(run, reason);
      else running[cache.open(keyValues)] = run;
      const left = waitingFor.get(key)! - 1;
      waitingFor.set(key, left);
      if (left === 0) prompts.delete(key);
    }
    next += indices.length;
    hooks.onStep(sampled, newest);
  };

  while (next < requests.length || cache.active > 0) {
    if (hooks.aborted()) {
      for (const run of running.splice(0)) finish(run, 'aborted');
      for (; next < requests.length; next++) finish(start(next), 'aborted');
      return results;
    }
    await admit();
    if (cache.active === 0) continue;
    const taken = await decodeStep(model, program, mode, cache, running);
    const newest: { index: number; token: number }[] = [];
    // From the last slot down, as closing a slot moves the last one into it.
    for (let slot = running.length - 1; slot >= 0; slot--) {
      const run = running[slot]!;
      const reason = take(run, taken[slot]!);
      newest.push({ index: run.index, token: run.tokens.at(-1)! });
      if (!reason) continue;
      finish(run, reason);
      const moved = cache.close(slot);
      running[slot] = running[moved]!;
      running.pop();
    }
    hooks.onStep(sampled, newest);
  }
  return results;
}

function checkRequest({ prompt, params }: SampleRequest, index: number, { config, vocabulary }: SamplerModel): void {
  const where = `sample request ${index}`;
  if (prompt.length === 0) throw new Error(`${where}: the prompt is empty`);
  if (prompt.length >= config.maxPositionEmbeddings) {
    throw new Error(
      `${where}: the prompt has ${prompt.length} tokens, the model's context ${config.maxPositionEmbeddings}; shorten it`,
    );
  }
  const stray = prompt.find((token) => token < 0 || token >= config.vocabSize);
  if (stray !== undefined) throw new Error(`${where}: token ${stray} is outside the vocabulary of ${config.vocabSize}`);
  if (!(params.maxTokens >= 1)) throw new Error(`${where}: maxTokens must be at least 1`);
  if (!(params.temperature >= 0)) throw new Error(`${where}: temperature must be 0 or more`);
  const { topP, topK, minP, repetitionPenalty } = params;
  if (!(topP > 0 && topP <= 1)) throw new Error(`${where}: topP must be above 0 and at most 1, not ${topP}`);
  if (!(Number.isInteger(topK) && topK >= 0))
    throw new Error(`${where}: topK must be a whole number, 0 for off, not ${topK}`);
  if (!(minP >= 0 && minP <= 1)) throw new Error(`${where}: minP must be between 0 and 1, not ${minP}`);
  if (!(repetitionPenalty > 0))
    throw new Error(`${where}: repetitionPenalty must be above 0, not ${repetitionPenalty}`);
  if (params.stopStrings.length > 0 && !vocabulary) {
    throw new Error(`${where}: stop strings need the engine to have been given the vocabulary`);
  }
}

async function prefill(model: SamplerModel, prompts: readonly Int32Array[]): Promise<Prefilled[]> {
  const { config } = model;
  const layout = layoutBatch(
    prompts.map((tokens) => ({
      tokens,
      targets: tokens,
      wanted: Uint8Array.from(tokens, (_, i) => (i === tokens.length - 1 ? 1 : 0)),
    })),
    { config, rope: model.rope, chunkRows: Number.MAX_SAFE_INTEGER },
  );
  const program = await model.prefill(layout.shape);
  const sizes = { ...layout.sizes, W: prompts.length };
  const outputs = await program.run({ ...model.weights, ...layoutInputs(config, layout) }, sizes);
  const width = config.numKeyValueHeads * config.headDim;
  return prompts.map((prompt, i) => {
    const from = layout.starts[i]! * width;
    const part = (name: string): Float32Array => floats(outputs[name]!).subarray(from, from + prompt.length * width);
    const layers = Array.from({ length: config.numLayers }, (_, layer) => layer);
    return {
      logits: row(floats(outputs.logits!), i, config.vocabSize),
      logNormalizer: floats(outputs.logNormalizer!)[i]!,
      keyValues: {
        length: prompt.length,
        keys: layers.map((layer) => part(newKeyName(layer))),
        values: layers.map((layer) => part(newValueName(layer))),
      },
    };
  });
}

const maskedOut = -1e9;

/** One token for every running sequence: feeds the last sampled tokens, whose keys and values the graph writes into the cache. */
async function decodeStep(
  model: SamplerModel,
  program: Program,
  mode: DecodeMode,
  cache: KvCache,
  running: readonly Running[],
): Promise<Taken[]> {
  const { config, rope } = model;
  cache.reserve();
  const { active: B, capacity: T, lengths } = cache;
  const half = config.headDim / 2;
  const cos = new Float32Array(B * half);
  const sin = new Float32Array(B * half);
  lengths.forEach((position, slot) => {
    cos.set(rope.cos.subarray(position * half, (position + 1) * half), slot * half);
    sin.set(rope.sin.subarray(position * half, (position + 1) * half), slot * half);
  });
  const inputs: Record<string, RunInput> = {
    ...model.weights,
    tokens: { data: BigInt64Array.from(running, (run) => BigInt(run.tokens.at(-1)!)), shape: [B] },
    positions: { data: BigInt64Array.from(running, (_, slot) => BigInt(slot)), shape: [1, B] },
    cos: { data: cos, shape: [B, half] },
    sin: { data: sin, shape: [B, half] },
    uniform: { data: Float32Array.from(running, nextUniform), shape: [B, 1] },
    firstRows: {
      data: BigInt64Array.from(running, (_, slot) => BigInt(slot * drawBlocks(config.vocabSize))),
      shape: [B],
    },
    inverseTemperature: {
      data: Float32Array.from(running, ({ request: { params } }) => 1 / (params.temperature || 1)),
      shape: [B, 1],
    },
  };
  for (const window of new Set(config.slidingWindow)) {
    const mask = new Float32Array(B * T).fill(maskedOut);
    lengths.forEach((length, slot) => {
      mask.fill(0, slot * T + (window === null ? 0 : Math.max(0, length - window + 1)), slot * T + length + 1);
    });
    inputs[maskName(window)] = { data: mask, shape: [B, 1, 1, 1, T] };
  }
  inputs['attention.scale'] = { data: Float32Array.of(config.headDim ** -0.5), shape: [] };
  inputs['cache.rows'] = { data: cache.nextRows(), shape: [B * config.numKeyValueHeads] };
  const into: Record<string, RunInput> = {};
  const shape = [B * config.numKeyValueHeads * T, config.headDim];
  for (let layer = 0; layer < config.numLayers; layer++) {
    const keys = { data: cache.keys(layer), shape };
    const values = { data: cache.values(layer), shape };
    inputs[keyName(layer)] = into[writtenKeysName(layer)] = keys;
    inputs[valueName(layer)] = into[writtenValuesName(layer)] = values;
  }
  const outputs = await program.run(inputs, { B, T }, { into });
  cache.advance();
  if (mode === 'drawn') {
    const [token, best] = ['token', 'bestToken'].map((name) => outputs[name]!.data as BigInt64Array) as [
      BigInt64Array,
      BigInt64Array,
    ];
    const [chance, bestChance] = ['probability', 'bestProbability'].map((name) => floats(outputs[name]!)) as [
      Float32Array,
      Float32Array,
    ];
    return running.map(({ request }, slot) => {
      const greedy = request.params.temperature === 0;
      const probability = greedy ? bestChance[slot]! : chance[slot]!;
      if (!(probability > 0)) throw new Error(noDistribution);
      const logprob = Math.log(probability);
      return { token: Number(greedy ? best[slot] : token[slot]), samplingLogprob: greedy ? 0 : logprob, logprob };
    });
  }
  const tempered = mode === 'tempered';
  return running.map((run, slot) =>
    draw(run, {
      probabilities: row(floats(outputs.probabilities!), slot, config.vocabSize),
      logits: tempered ? row(floats(outputs.logits!), slot, config.vocabSize) : null,
      logNormalizer: tempered ? floats(outputs.logNormalizer!)[slot]! : 0,
    }),
  );
}

/** The uniform draw for the next token of a sequence: a function of its seed and of how far it is. */
const nextUniform = ({ request, tokens }: Running): number => uniform(request.seed, tokens.length);

/** Draws a sequence's next token outside the graph. */
function draw(run: Running, { probabilities, logits, logNormalizer }: NextToken): Taken {
  const { params } = run.request;
  if (run.seen && logits) penalize(probabilities, logits, run.seen, params.repetitionPenalty, params.temperature);
  const { token, probability } = drawToken(probabilities, params, nextUniform(run));
  return {
    token,
    samplingLogprob: Math.log(probability),
    logprob: logits ? logits[token]! - logNormalizer : Math.log(probabilities[token]!),
  };
}

const floats = (output: RunOutput): Float32Array => output.data as Float32Array;

const row = (data: Float32Array, index: number, width: number): Float32Array =>
  data.subarray(index * width, (index + 1) * width);
