import { type Dim, gatherRows, input, scatterRows, serialize, symbol, type Tensor } from '../graph/index.js';
import type { Loss } from './types.js';

/** What a loss is built from. Vectors are [M], one value a wanted position; scalars have no axes. */
export interface LossContext<Input extends string, Scalar extends string> {
  readonly logprobs: Tensor;
  /** Entropy of the next-token distribution; no gradient flows through it. Only with `needsEntropy`. */
  readonly entropy: Tensor;
  readonly inputs: Readonly<Record<Input, Tensor>>;
  readonly scalars: Readonly<Record<Scalar, Tensor>>;
  /** Sum over the positions of each sequence, brought back to them: [M] → [M]. */
  sequenceSum(x: Tensor): Tensor;
}

export interface LossDefinition<Input extends string, Scalar extends string> {
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly scalars?: readonly Scalar[];
  readonly needsEntropy?: boolean;
  build(context: LossContext<Input, Scalar>): {
    readonly loss: Tensor;
    /** Scalars to report; the caller adds them up over micro-batches. */
    readonly metrics?: Readonly<Record<string, Tensor>>;
  };
}

export const positionsSymbol = 'M';
export const sequencesSymbol = 'B';

/** Builds a loss once, as data that any engine can run or differentiate. */
export function defineLoss<Input extends string, Scalar extends string = never>(
  definition: LossDefinition<Input, Scalar>,
): Loss {
  const M: Dim = symbol(positionsSymbol);
  const vector = (name: string): Tensor => input(name, 'float32', [M]);
  const segment = input('segment', 'int64', [M]);
  const record = <Name extends string>(names: readonly Name[], make: (name: string) => Tensor): Record<Name, Tensor> =>
    Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, Tensor>;
  const scalars = definition.scalars ?? [];
  const { loss, metrics = {} } = definition.build({
    logprobs: vector('logprobs'),
    entropy: vector('entropy'),
    inputs: record(definition.inputs, vector),
    scalars: record(scalars, (name) => input(name, 'float32', [])),
    sequenceSum: (x) => gatherRows(scatterRows(x, segment, symbol(sequencesSymbol)), segment),
  });
  for (const [name, tensor] of Object.entries({ loss, ...metrics })) {
    if (tensor.shape.length > 0)
      throw new Error(`loss ${definition.name}: ${name} must be a scalar; sum or average it`);
  }
  return Object.freeze({
    name: definition.name,
    graph: serialize({ loss, ...metrics }),
    inputs: definition.inputs,
    scalars,
    metrics: Object.keys(metrics),
    needsEntropy: definition.needsEntropy ?? false,
  });
}
