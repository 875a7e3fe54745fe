import type { Node, OpDefinition, Tensor } from './tensor.js';

const definitions = new Map<string, OpDefinition>();

/** Registers an op under its name, so that a graph sent as data finds it again. */
export function define(definition: OpDefinition): OpDefinition {
  if (definitions.has(definition.name)) throw new Error(`graph: the op ${definition.name} is defined twice`);
  definitions.set(definition.name, definition);
  return definition;
}

/** The op of that name; null when there is none. */
export const definitionOf = (name: string): OpDefinition | null => definitions.get(name) ?? null;

export const opNames = (): string[] => [...definitions.keys()];

type Extra = Pick<Node, 'data' | 'rebuild' | 'backward'>;

/** Applies an op to tensors: checks the shapes and returns its outputs. */
export function applyAll(
  definition: OpDefinition,
  inputs: readonly Tensor[],
  attributes: Node['attributes'] = {},
  extra: Extra = {},
): readonly Tensor[] {
  const node: Node = Object.freeze({ definition, inputs, attributes, ...extra });
  return definition
    .infer(inputs, attributes)
    .map((type, output) => Object.freeze({ node, output, dtype: type.dtype, shape: type.shape }));
}

/** Applies an op with a single output. */
export function apply(
  definition: OpDefinition,
  inputs: readonly Tensor[],
  attributes: Node['attributes'] = {},
  extra: Extra = {},
): Tensor {
  return applyAll(definition, inputs, attributes, extra)[0]!;
}
