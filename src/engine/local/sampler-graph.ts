import {
  argmax,
  type CompiledGraph,
  type CompileOptions,
  compile,
  type Dim,
  gatherRows,
  input,
  linear,
  log,
  max,
  multiply,
  multiplyDims,
  softmax,
  subtract,
  symbol,
  type Tensor,
} from '../../graph/index.js';
import {
  type Attention,
  type BlockShape,
  blockAttention,
  cachedAttention,
  decoder,
  type LoraSpec,
  type ModelConfig,
} from '../../models/index.js';
import { drawInGraph } from './draw-graph.js';

export interface SamplerGraphOptions {
  readonly config: ModelConfig;
  readonly lora: LoraSpec | null;
  readonly constants: NonNullable<CompileOptions['constants']>;
}

export const keyName = (layer: number): string => `key:${layer}`;
export const valueName = (layer: number): string => `value:${layer}`;
export const newKeyName = (layer: number): string => `newKey:${layer}`;
export const newValueName = (layer: number): string => `newValue:${layer}`;
export const writtenKeysName = (layer: number): string => `written:${keyName(layer)}`;
export const writtenValuesName = (layer: number): string => `written:${valueName(layer)}`;

/**
 * The first pass over prompts: the training graph's attention, with the rotated keys and the values of every token as
 * outputs [N, K·D] and the logits after the `wanted` positions.
 */
export function prefillGraph({ config, lora, constants }: SamplerGraphOptions, shape: BlockShape): CompiledGraph {
  const outputs: Record<string, Tensor> = {};
  const attend = blockAttention(config, shape);
  const recording =
    (layer: number): Attention =>
    (q, k, v, window) => {
      outputs[newKeyName(layer)] = k;
      outputs[newValueName(layer)] = v;
      return attend(q, k, v, window);
    };
  const model = decoder({ config, lora, recompute: false, attention: recording, rows: 'N', shareProducts: true });
  const wanted = input('wanted', 'int64', [symbol('W')]);
  const last = gatherRows(model.hidden, wanted);
  return compile({ ...outputs, ...withLogNormalizer(linear(last, model.head)) }, { constants });
}

/**
 * What a decoding step returns: tokens drawn in the graph (`drawn`), the model's own `probabilities` (`plain`), or
 * `probabilities` after temperature with the `logits` and their log-normalizers, from which the model's own follow.
 */
export type DecodeMode = 'drawn' | 'plain' | 'tempered';

/**
 * One more token for each of B sequences over their caches [B·K·T, D], which also leave the graph with the token's keys and
 * values in them.
 */
export function decodeGraph({ config, lora, constants }: SamplerGraphOptions, mode: DecodeMode): CompiledGraph {
  const outputs: Record<string, Tensor> = {};
  const [B, T] = ['B', 'T'].map(symbol) as [Dim, Dim];
  const shape = [multiplyDims(multiplyDims(B, config.numKeyValueHeads), T), config.headDim];
  const attention = cachedAttention(
    config,
    (layer) => ({
      keys: input(keyName(layer), 'float32', shape),
      values: input(valueName(layer), 'float32', shape),
    }),
    (layer, { keys, values }) => {
      outputs[writtenKeysName(layer)] = keys;
      outputs[writtenValuesName(layer)] = values;
    },
  );
  const model = decoder({ config, lora, recompute: false, attention, rows: 'B', shareProducts: false });
  const logits = linear(model.hidden, model.head);
  const plain = softmax(logits);
  if (mode === 'plain') return compile({ ...outputs, probabilities: plain }, { constants });
  if (mode === 'drawn') {
    const u = input('uniform', 'float32', [B, 1]);
    const firstRows = input('firstRows', 'int64', [B]);
    const drawn = drawInGraph(plain, u, firstRows, config.vocabSize);
    const best = { bestToken: argmax(plain), bestProbability: max(plain, [-1]) };
    return compile({ ...outputs, ...drawn, ...best }, { constants });
  }
  const probabilities = softmax(multiply(logits, input('inverseTemperature', 'float32', [B, 1])));
  return compile({ ...outputs, ...withLogNormalizer(logits), probabilities }, { constants });
}

/** With the log-normalizer [B] a logit becomes a log-probability at temperature 1. */
function withLogNormalizer(logits: Tensor): Record<string, Tensor> {
  const logNormalizer = subtract(max(logits, [-1]), log(max(softmax(logits), [-1])));
  return { logits, logNormalizer };
}
