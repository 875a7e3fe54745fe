import { applyAll, definitionOf } from './apply.js';
import { topologicalOrder } from './gradient.js';
import type { Node, Tensor } from './tensor.js';

/** A graph as plain data that passes through `postMessage` or JSON-like storage. */
export interface SerializedGraph {
  readonly nodes: readonly {
    readonly op: string;
    /** Node number and output number of each input; nodes come after their inputs. */
    readonly inputs: readonly (readonly [node: number, output: number])[];
    readonly attributes: Node['attributes'];
    readonly data?: Float32Array | BigInt64Array;
  }[];
  readonly outputs: Readonly<Record<string, readonly [node: number, output: number]>>;
}

/** Regions and custom gradients cannot be sent: they hold a function. */
export function serialize(outputs: Readonly<Record<string, Tensor>>): SerializedGraph {
  const order = topologicalOrder(Object.values(outputs));
  const number = new Map(order.map((node, i) => [node, i]));
  const reference = (tensor: Tensor): readonly [number, number] => [number.get(tensor.node)!, tensor.output];
  return {
    nodes: order.map((node) => {
      if (node.rebuild || node.backward)
        throw new Error(`graph: a graph with a ${node.definition.name} cannot be serialised`);
      return {
        op: node.definition.name,
        inputs: node.inputs.map(reference),
        attributes: node.attributes,
        ...(node.data && { data: node.data }),
      };
    }),
    outputs: Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, reference(tensor)])),
  };
}

/** Rebuilds a graph, with `inputs` in the place of the inputs of those names. */
export function deserialize(
  graph: SerializedGraph,
  inputs: Readonly<Record<string, Tensor>> = {},
): Readonly<Record<string, Tensor>> {
  const built: (readonly Tensor[])[] = [];
  for (const { op, inputs: references, attributes, data } of graph.nodes) {
    const replacement = op === 'input' ? inputs[attributes.name as string] : undefined;
    const definition = definitionOf(op);
    if (!definition) throw new Error(`graph: the graph was made by another version: no op is named ${op}`);
    const tensors = references.map(([node, output]) => built[node]![output]!);
    built.push(replacement ? [replacement] : applyAll(definition, tensors, attributes, data ? { data } : {}));
  }
  return Object.fromEntries(
    Object.entries(graph.outputs).map(([name, [node, output]]) => [name, built[node]![output]!]),
  );
}
