import {
  type CompiledGraph,
  compile,
  constant,
  type Dim,
  dependsOn,
  deserialize,
  gatherRows,
  gradients,
  input,
  multiply,
  symbol,
  type Tensor,
} from '../../graph/index.js';
import {
  type BlockShape,
  blockAttention,
  decoder,
  headPartRows,
  type LoraSpec,
  type ModelConfig,
  tokenLogprobs,
} from '../../models/index.js';
import { positionsSymbol } from '../loss.js';
import type { Loss } from '../types.js';
import { embeddingName, headName, headPartNames } from './head-parts.js';
import { chunkDims } from './layout.js';

export interface TrainingGraphOptions {
  readonly config: ModelConfig;
  readonly lora: LoraSpec | null;
  readonly trainable: ReadonlySet<string>;
  readonly recompute: boolean;
  readonly shape: BlockShape;
  readonly chunks: number;
  /** Null: forward only. */
  readonly loss: Loss | null;
  readonly entropy: boolean;
  /** Whether logits are multiplied by the scalar input `inverseTemperature`. */
  readonly tempered: boolean;
}

export const gradientName = (parameter: string): string => `gradient:${parameter}`;

/** Output with the gradient of each token's embedding, [N, hidden], to be added to the rows of the embedding's gradient. */
export const embeddingRowsName = 'gradient rows';
/** The same of each target's row of the output head, [M, hidden]. */
export const targetRowsName = 'gradient target rows';

/**
 * The graph of one micro-batch: log-probabilities of the wanted positions and, with a loss, its value, its metrics and
 * the gradient of every trainable parameter (outputs `gradient:<name>`; the output head's in parts, single rows of it and
 * of the embedding apart).
 */
export function trainingGraph(options: TrainingGraphOptions): CompiledGraph {
  const { config, loss, trainable } = options;
  const attention = blockAttention(config, options.shape);
  const model = decoder({
    config,
    lora: options.lora,
    recompute: options.recompute && loss !== null,
    attention: () => attention,
    rows: 'N',
    shareProducts: true,
  });
  const chunks = chunkDims(options.chunks);
  const M = symbol(positionsSymbol);
  const hidden = gatherRows(model.hidden, input('wanted', 'int64', [M]));
  const wanted = options.tempered ? multiply(hidden, input('inverseTemperature', 'float32', [])) : hidden;
  const targets = input('targets', 'int64', [M]);
  const entropy = options.entropy || (loss?.needsEntropy ?? false);

  // A loss that is linear in the log-probabilities (a weighted cross-entropy) has a gradient that is known beforehand.
  const placeholders = { logprobs: input('logprobs', 'float32', [M]), entropy: input('entropy', 'float32', [M]) };
  const known = loss && lossGradient(loss, placeholders, M);
  const unknown = known && Object.values(placeholders).some((placeholder) => dependsOn(known, placeholder));
  const upstream = unknown ? null : known;
  const whole = headName(config);
  const parts = new Map(
    headPartNames(whole, config.vocabSize).map((name, i) => {
      const rows = headPartRows(config.vocabSize)[i]!;
      return [name, name === whole ? model.head : input(name, 'float32', [rows, config.hiddenSize])];
    }),
  );
  const head = tokenLogprobs(wanted, { whole: model.head, parts: [...parts.values()] }, targets, {
    chunks,
    upstream,
    entropy,
  });

  const outputs: Record<string, Tensor> = { logprobs: head.logprobs };
  if (head.entropy) outputs.entropy = head.entropy;
  if (loss) {
    const results = runLoss(loss, { logprobs: head.logprobs, ...(head.entropy && { entropy: head.entropy }) }, M);
    for (const [name, tensor] of Object.entries(results)) outputs[name === 'loss' ? 'loss' : `metric:${name}`] = tensor;
    const named = new Map(
      [...model.parameters]
        .filter(([name]) => trainable.has(name))
        .map(([name, tensor]) => [gradientName(name), tensor]),
    );
    // The gradient of a looked-up row leaves as that row: a sum over [vocab, hidden] would be all but zeros.
    if (trainable.has(embeddingName)) named.set(embeddingRowsName, model.embedded);
    if (trainable.has(whole)) {
      named.set(targetRowsName, head.targetRows);
      for (const [name, tensor] of parts) named.set(gradientName(name), tensor);
    }
    const stopAt = [model.embedded, head.targetRows];
    const found = gradients([[results.loss!, constant(1)]], [...named.values()], { stopAt });
    if (found.every((gradient) => gradient === null)) {
      throw new Error(`engine: the loss ${loss.name} has no gradient: it does not depend on the log-probabilities`);
    }
    [...named.keys()].forEach((name, i) => {
      if (found[i]) outputs[name] = found[i];
    });
  }
  return compile(outputs);
}

/** The loss over the given tensors. Its vectors are built over the symbol M, here the sum of the chunks. */
function runLoss(loss: Loss, given: Readonly<Record<string, Tensor>>, M: Dim): Readonly<Record<string, Tensor>> {
  const vectors = Object.fromEntries(loss.inputs.map((name) => [name, input(`loss:${name}`, 'float32', [M])]));
  const scalars = Object.fromEntries(loss.scalars.map((name) => [name, input(`loss:${name}`, 'float32', [])]));
  return deserialize(loss.graph, { ...vectors, ...scalars, ...given, segment: input('segment', 'int64', [M]) });
}

function lossGradient(
  loss: Loss,
  given: { readonly logprobs: Tensor; readonly entropy: Tensor },
  M: Dim,
): Tensor | null {
  const results = runLoss(loss, given, M);
  return gradients([[results.loss!, constant(1)]], [given.logprobs])[0] ?? null;
}
